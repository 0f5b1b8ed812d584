// SPDX-License-Identifier: MIT-0
// One of two numbers, both of which have been computed.
#ifndef HEDDLE_DEVICE_CHOOSE_HPP
#define HEDDLE_DEVICE_CHOOSE_HPP

#include <cstdint>

#include "heddle/device/bits.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle {

namespace detail {

template <typename Bits, typename T>
HEDDLE_HOST_DEVICE inline T chosen(bool condition, T yes, T no) {
  const Bits mask = Bits{0} - static_cast<Bits>(condition);
  return bits_as<T>((bits_as<Bits>(yes) & mask) | (bits_as<Bits>(no) & ~mask));
}

}  // namespace detail

/// `condition ? yes : no`, by bits. A long loop in which the condition does not change becomes
/// vectors this way; g++ up to 12 makes none where it finds the other spelling.
HEDDLE_HOST_DEVICE inline float choose(bool condition, float yes, float no) {
  return detail::chosen<std::uint32_t>(condition, yes, no);
}

/// The same in double precision.
HEDDLE_HOST_DEVICE inline double choose(bool condition, double yes, double no) {
  return detail::chosen<std::uint64_t>(condition, yes, no);
}

}  // namespace heddle

#endif
