// SPDX-License-Identifier: MIT-0
// Values that the compiler must not connect with earlier uses.
#ifndef HEDDLE_DEVICE_OPAQUE_HPP
#define HEDDLE_DEVICE_OPAQUE_HPP

#include <cstdint>

#include "heddle/device/qualifiers.hpp"

namespace heddle {

/// The same address. Addresses for stores are then computed again instead of being kept in
/// registers since the loads: an in-place kernel saves two registers for each element it touches.
template <typename T>
HEDDLE_HOST_DEVICE inline T* opaque(T* pointer) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(pointer));
#endif
  return pointer;
}

/// The same number; values computed from it are computed again.
HEDDLE_HOST_DEVICE inline std::int64_t opaque(std::int64_t number) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(number));
#endif
  return number;
}

/// The same truth value, in its own register.
HEDDLE_HOST_DEVICE inline bool opaque(bool condition) {
  int bits = condition ? 1 : 0;
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(bits));
#endif
  return bits != 0;
}

}  // namespace heddle

#endif
