// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_VECTOR_MOVE_CELL_HPP
#define HEDDLE_VECTOR_MOVE_CELL_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/device/lanes.hpp"
#include "heddle/device/qualifiers.hpp"
#include "heddle/vector_moves.hpp"
#include "lane_shift_cell.hpp"

namespace heddle {

/// One end of a move: an array of vectors.
template <typename T> struct VectorArray {
  T* data;
  std::int64_t stride_y;
  std::int64_t stride_z;
  std::int64_t stride_component;

  VectorArray() = default;
  explicit VectorArray(const LaneArray& array)
      : data(static_cast<T*>(array.data)), stride_y(array.stride[0]), stride_z(array.stride[1]),
        stride_component(array.stride[2]) {}

  template <int lanes>
  HEDDLE_HOST_DEVICE T* at(std::int32_t component, std::int64_t x, std::int64_t y, std::int64_t z) const {
    return data + component * stride_component + x * lanes + y * stride_y + z * stride_z;
  }
};

/// A move as its kernel gets it. Without a wire it goes straight to a target.
template <typename T> struct VectorMove {
  VectorArray<T> array;
  const std::int32_t* rows;
  T* to_wire;
  const T* from_wire;
  VectorArray<T> targets[most_targets];
};

/// Moves the vector of one cell of a row. Cells are counted x fastest; beyond the last one nothing happens.
template <int lanes, typename T>
HEDDLE_HOST_DEVICE inline void move_cell(const VectorMove<T>& move, const std::int32_t* row, std::int32_t cell) {
  const auto n = static_cast<std::uint32_t>(cell);
  const auto x_count = static_cast<std::uint32_t>(row[VectorMoveRows::extent]);
  const auto y_count = static_cast<std::uint32_t>(row[VectorMoveRows::extent + 1]);
  if (n >= x_count * y_count * static_cast<std::uint32_t>(row[VectorMoveRows::extent + 2])) {
    return;
  }
  const std::uint32_t line = n / x_count;
  const std::uint32_t z = line / y_count;
  const std::uint32_t y = line - z * y_count;
  const std::uint32_t x = n - line * x_count;
  const auto end = [&](const VectorArray<T>& array, const std::int32_t* first) {
    return array.template at<lanes>(row[VectorMoveRows::component], std::int64_t{first[0]} + x,
                                    std::int64_t{first[1]} + y, std::int64_t{first[2]} + z);
  };
  const std::int64_t place = row[VectorMoveRows::place] + std::int64_t{cell} * lanes;
  const auto sources = static_cast<std::uint32_t>(row[VectorMoveRows::sources]);
  const T* const source = move.from_wire != nullptr ? move.from_wire + place
                                                    : end(move.array, row + VectorMoveRows::from);
  T* const to = move.to_wire != nullptr ? move.to_wire + place
                : move.from_wire != nullptr
                    ? end(move.array, row + VectorMoveRows::to)
                    : end(move.targets[row[VectorMoveRows::target]], row + VectorMoveRows::to);
  T from[static_cast<std::size_t>(lanes)];
  load_lanes<lanes>(from, source);
  if ((sources & LaneTurn<lanes>::all) == LaneTurn<lanes>::turned(0)) {
    store_lanes<lanes>(to, static_cast<const T*>(from));
    return;
  }
  HEDDLE_EVERY_LANE
  for (int l = 0; l < lanes; ++l) {
    const std::uint32_t wanted = sources >> (4 * l) & 15U;
    if (wanted == LaneSources::stays) {
      continue;
    }
    T value = from[l]; // on the wire, lanes lie where they belong
    if (move.from_wire == nullptr) {
      HEDDLE_EVERY_LANE
      for (int s = 0; s < lanes; ++s) { // an index known at run time would put the vector into memory
        value = wanted == static_cast<std::uint32_t>(s) ? from[s] : value;
      }
    }
    to[l] = value;
  }
}

} // namespace heddle

#endif
