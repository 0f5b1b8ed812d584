// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_QUALIFIERS_HPP
#define HEDDLE_EMULATION_QUALIFIERS_HPP

#include "compiler.hpp"

// CUDA's qualifiers, as a host compiler can say them. `__restrict__` is the compiler's own.

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

// Shared memory is a plain static: one block runs at a time (launches take a lock), so it has exactly block
// scope in every mode, also when each CUDA thread is a thread of its own. Each variable lies in a section of
// its own, which shared.hpp finds and fills with NaN before each block. (One section for all does not do: g++
// refuses to mix variables of templates and of functions.) Under AddressSanitizer there is no section,
// because the red zones around a variable, which catch an overrun, are only laid in the usual ones.
#if HEDDLE_EMULATION_ASAN
#define __shared__ static
#else
#define HEDDLE_EMULATION_TEXT_OF(x) #x
#define HEDDLE_EMULATION_TEXT(x) HEDDLE_EMULATION_TEXT_OF(x)
#define __shared__ static __attribute__((section("heddle_shared_" HEDDLE_EMULATION_TEXT(__COUNTER__))))
#endif

#endif
