// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_POSITIVE_MODULO_HPP
#define HEDDLE_GRID_POSITIVE_MODULO_HPP

#include <cstdint>

namespace heddle {

/// A coordinate mapped to 0 <= x < extent around a periodic axis.
inline std::int64_t positive_modulo(std::int64_t value, std::int64_t extent) {
  return ((value % extent) + extent) % extent;
}

} // namespace heddle

#endif
