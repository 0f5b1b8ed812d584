// SPDX-License-Identifier: MIT-0
// Numbers as their bits.
#ifndef HEDDLE_DEVICE_BITS_HPP
#define HEDDLE_DEVICE_BITS_HPP

#include <cstring>

#include "heddle/device/qualifiers.hpp"

namespace heddle {

/// The number of another type that has the same bits.
template <typename To, typename From>
HEDDLE_HOST_DEVICE inline To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}

}  // namespace heddle

#endif
