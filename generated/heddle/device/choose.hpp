// SPDX-License-Identifier: MIT-0
// One of two numbers, both of which have been computed.
#ifndef HEDDLE_DEVICE_CHOOSE_HPP
#define HEDDLE_DEVICE_CHOOSE_HPP

#include <cstdint>
#include <type_traits>

#include "heddle/device/bits.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle {

/// `condition ? yes : no`, by bits. A loop in which the condition does not change becomes vectors
/// this way; g++ up to 12 makes none where it finds the other spelling.
template <typename T>
HEDDLE_HOST_DEVICE inline T choose(bool condition, T yes, T no) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const Bits mask = Bits{0} - static_cast<Bits>(condition);
  return bits_as<T>((bits_as<Bits>(yes) & mask) | (bits_as<Bits>(no) & ~mask));
}

}  // namespace heddle

#endif
