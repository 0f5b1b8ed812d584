// SPDX-License-Identifier: MIT-0
// Minimum, maximum and sign with one meaning on every target, also for NaN and signed zeros.
#ifndef HEDDLE_DEVICE_ARITHMETIC_HPP
#define HEDDLE_DEVICE_ARITHMETIC_HPP

#include "heddle/device/qualifiers.hpp"

namespace heddle {

namespace detail {

/// Whether the compiler sees that a value is a number: then one comparison tells all, with the same
/// result.
#if defined(__NVCC__)
#pragma nv_exec_check_disable  // nvcc takes the builtin for a function of the host
#endif
template <typename T>
HEDDLE_HOST_DEVICE inline bool is_known_number([[maybe_unused]] T value) {
#if defined(__GNUC__)
  return __builtin_constant_p(value) && value == value;
#else
  return false;
#endif
}

}  // namespace detail

/// The smaller value; `a` where they are equal, NaN where one of them is NaN.
template <typename T>
HEDDLE_HOST_DEVICE inline T min(T a, T b) {
  if (detail::is_known_number(a)) {
    return a <= b ? a : b;
  }
  const T smaller = b < a ? b : a;  // a, if that is NaN
  return b == b ? smaller : b;
}

/// The larger value; `a` where they are equal, NaN where one of them is NaN.
template <typename T>
HEDDLE_HOST_DEVICE inline T max(T a, T b) {
  if (detail::is_known_number(a)) {
    return b <= a ? a : b;
  }
  const T larger = a < b ? b : a;  // a, if that is NaN
  return b == b ? larger : b;
}

/// -1, +1, or the value itself where it is zero or NaN.
template <typename T>
HEDDLE_HOST_DEVICE inline T sign(T a) {
  return a > T(0) ? T(1) : (a < T(0) ? T(-1) : a);
}

}  // namespace heddle

#endif
