// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_DEVICE_MEMORY_HPP
#define HEDDLE_TESTS_DEVICE_MEMORY_HPP

#include "heddle/core/memory.hpp"

namespace test {

/// Where CUDA kernels find their data: on the device, or, when they are emulated, on the host.
#ifdef HEDDLE_ON_DEVICE
inline constexpr heddle::Memory device_memory = heddle::Memory::device;
#else
inline constexpr heddle::Memory device_memory = heddle::Memory::host;
#endif

} // namespace test

#endif
