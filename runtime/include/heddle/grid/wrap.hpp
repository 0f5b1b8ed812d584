// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_WRAP_HPP
#define HEDDLE_GRID_WRAP_HPP

#include <cstdint>

namespace heddle {

/// A coordinate brought into 0 <= x < extent, around a periodic axis.
inline std::int64_t wrap(std::int64_t value, std::int64_t extent) {
  return ((value % extent) + extent) % extent;
}

} // namespace heddle

#endif
