// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LANE_SHIFT_CELL_HPP
#define HEDDLE_LANE_SHIFT_CELL_HPP

#include <cstddef>
#include <cstdint>

#include "heddle/device/lanes.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle {

/// Copies the vector of one cell of a box; see LaneShiftRows for `row`. Cells are counted x fastest; beyond the
/// last one of the box nothing happens.
template <int lanes, typename T>
HEDDLE_HOST_DEVICE inline void shift_cell(T* data, std::int64_t stride_y, std::int64_t stride_z,
                                          std::int64_t stride_component, const std::int32_t* row,
                                          std::int32_t cell) {
  const std::int32_t x_count = row[7];
  const std::int32_t y_count = row[8];
  if (cell >= x_count * y_count * row[9]) {
    return;
  }
  const std::int32_t x = cell % x_count;
  const std::int32_t y = cell / x_count % y_count;
  const std::int32_t z = cell / x_count / y_count;
  const auto at = [&](std::int32_t component, const std::int32_t* first) {
    return data + component * stride_component + std::int64_t{first[0] + x} * lanes + (first[1] + y) * stride_y +
           (first[2] + z) * stride_z;
  };
  const auto sources = static_cast<std::uint32_t>(row[10]);
  const auto reflected = static_cast<std::uint32_t>(row[15]);
  bool moves = false;
  bool stays = false;
  for (int l = 0; l < lanes; ++l) {
    const bool moved = (sources >> (4 * l) & 15U) != 15U;
    moves = moves || moved;
    stays = stays || (!moved && (reflected >> l & 1U) == 0);
  }
  T from[static_cast<std::size_t>(lanes)] = {};
  T own[static_cast<std::size_t>(lanes)] = {};
  T to[static_cast<std::size_t>(lanes)] = {};
  T* const place = at(row[0], row + 4);
  if (moves) {
    load_lanes<lanes>(from, static_cast<const T*>(at(row[0], row + 1)));
  }
  if (reflected != 0) {
    load_lanes<lanes>(own, static_cast<const T*>(at(row[11], row + 12)));
  }
  if (stays) {
    load_lanes<lanes>(to, static_cast<const T*>(place));
  }
  HEDDLE_EVERY_LANE
  for (int l = 0; l < lanes; ++l) {
    if ((reflected >> l & 1U) != 0) {
      to[l] = own[l];
    }
    const std::uint32_t source = sources >> (4 * l) & 15U;
    HEDDLE_EVERY_LANE
    for (int s = 0; s < lanes; ++s) {  // an index known at run time would put the vector into memory
      if (source == static_cast<std::uint32_t>(s)) {
        to[l] = from[s];
      }
    }
  }
  store_lanes<lanes>(place, static_cast<const T*>(to));
}

/// Whether there is a shift_cell for such vectors.
[[nodiscard]] constexpr bool can_shift(std::size_t value_bytes, int lanes) noexcept {
  return (value_bytes == 2 || value_bytes == 4 || value_bytes == 8) && (lanes == 2 || lanes == 4 || lanes == 8);
}

/// Calls visit.operator()<lanes, T>() with a type of so many bytes; can_shift() must be true of both.
template <typename Visit> void with_vector(std::size_t value_bytes, int lanes, const Visit& visit) {
  const auto typed = [&]<typename T>(T) {
    if (lanes == 2) {
      visit.template operator()<2, T>();
    } else if (lanes == 4) {
      visit.template operator()<4, T>();
    } else {
      visit.template operator()<8, T>();
    }
  };
  if (value_bytes == 2) {
    typed(std::uint16_t{});
  } else if (value_bytes == 4) {
    typed(std::uint32_t{});
  } else {
    typed(std::uint64_t{});
  }
}

} // namespace heddle

#endif
