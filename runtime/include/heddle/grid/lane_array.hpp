// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_LANE_ARRAY_HPP
#define HEDDLE_GRID_LANE_ARRAY_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle {

/// A group of interleaved blocks as plain memory: `data` is the first interior cell of its first block.
/// Strides are those of y, z and the components, in values; along x it is `lanes`.
struct LaneArray {
  void* data = nullptr;
  std::array<std::int64_t, 3> stride{};
  int lanes = 1;
  std::size_t value_bytes = 0;
};

} // namespace heddle

#endif
