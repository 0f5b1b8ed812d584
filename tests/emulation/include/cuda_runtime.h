// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_CUDA_RUNTIME_H
#define HEDDLE_EMULATION_CUDA_RUNTIME_H

/// Stands in for the CUDA toolkit's header, so that g++ and clang compile a .cu file as C++20 and its kernels
/// run on the CPU, block by block. See the README beside this folder for what it detects and what it cannot.
#define HEDDLE_CUDA_EMULATION 1

// The standard headers come first, through these; the qualifiers are macros and come last.
#include "emulation/atomics.hpp"
#include "emulation/error.hpp"
#include "emulation/executor.hpp"
#include "emulation/intrinsics.hpp"
#include "emulation/launch.hpp"
#include "emulation/math.hpp"
#include "emulation/memory.hpp"
#include "emulation/settings.hpp"
#include "emulation/stream.hpp"
#include "emulation/types.hpp"

#include "emulation/qualifiers.hpp"

#endif
