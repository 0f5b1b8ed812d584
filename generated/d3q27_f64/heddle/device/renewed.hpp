// SPDX-License-Identifier: MIT-0
// A pointer whose value the compiler may not connect with earlier uses.
#ifndef HEDDLE_DEVICE_RENEWED_HPP
#define HEDDLE_DEVICE_RENEWED_HPP

#include "heddle/device/qualifiers.hpp"

namespace heddle {

/// The same address. Addresses for stores are then computed again instead of being kept in registers since the loads:
/// an in-place kernel saves two registers for each element it touches.
template <typename T>
HEDDLE_HOST_DEVICE inline T* renewed(T* pointer) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(pointer));
#endif
  return pointer;
}

}  // namespace heddle

#endif
