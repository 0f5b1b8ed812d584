// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LANE_SHIFT_CELL_HPP
#define HEDDLE_LANE_SHIFT_CELL_HPP

#include <cstddef>
#include <cstdint>

#include "heddle/device/lanes.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle {

/// Where a shift happens: an array of vectors (see LaneArray), a row of LaneShiftRows, and the wire.
template <typename T> struct LaneShift {
  T* data;
  std::int64_t stride_y;
  std::int64_t stride_z;
  std::int64_t stride_component;
  const std::int32_t* row;
  const T* wire;
};

/// The sources of a row (see LaneSources) of vectors of so many lanes.
template <int lanes> struct LaneTurn {
  static constexpr std::uint32_t all = lanes == 8 ? 0xffffffffU : (1U << (4 * lanes)) - 1U;

  /// Each lane from the one `by` lanes below.
  HEDDLE_HOST_DEVICE static constexpr std::uint32_t turned(int by) {
    std::uint32_t sources = 0;
    for (int l = 0; l < lanes; ++l) {
      sources |= static_cast<std::uint32_t>((l - by + lanes) % lanes) << (4 * l);
    }
    return sources;
  }

  HEDDLE_HOST_DEVICE explicit LaneTurn(std::int32_t packed) : sources(static_cast<std::uint32_t>(packed) & all) {
    const std::uint32_t special = sources >> 3 & 0x11111111U;  // lanes that stay (15) or arrive (14)
    const std::uint32_t odd = special & sources;
    some_stay = odd != 0;
    some_arrive = odd != special;
    const std::uint32_t others = all & ~(special * 15U);
    constexpr std::uint32_t up = turned(1);
    constexpr std::uint32_t down = turned(-1);
    by = ((sources ^ up) & others) == 0 ? 1 : ((sources ^ down) & others) == 0 ? -1 : 0;
  }

  std::uint32_t sources;
  bool some_stay;
  bool some_arrive;
  int by;  // 1, -1: lanes turn by one; 0: any other way
};

/// The vector of one cell of a box. Loading and storing are apart so that a thread can load several first.
template <int lanes, typename T> class ShiftedVector {
 public:
  /// Cells are counted x fastest; beyond the last one of the box nothing happens.
  HEDDLE_HOST_DEVICE void load(const LaneShift<T>& shift, const LaneTurn<lanes>& turn, std::int32_t cell) {
    const std::int32_t* const row = shift.row;
    const auto x_count = static_cast<std::uint32_t>(row[7]);
    const auto y_count = static_cast<std::uint32_t>(row[8]);
    const auto n = static_cast<std::uint32_t>(cell);
    if (n >= x_count * y_count * static_cast<std::uint32_t>(row[9])) {
      place_ = nullptr;
      return;
    }
    const std::uint32_t line = n / x_count;
    const auto x = static_cast<std::int32_t>(n - line * x_count);
    const auto y = static_cast<std::int32_t>(line % y_count);
    const auto z = static_cast<std::int32_t>(line / y_count);
    const std::int64_t component = row[0] * shift.stride_component;
    const auto at = [&](const std::int32_t* first) {
      return component + std::int64_t{first[0] + x} * lanes + (first[1] + y) * shift.stride_y +
             (first[2] + z) * shift.stride_z;
    };
    place_ = shift.data + at(row + 4);
    load_lanes<lanes>(from_, static_cast<const T*>(shift.data + at(row + 1)));
    if (turn.some_stay) {
      load_lanes<lanes>(old_, static_cast<const T*>(place_));
    }
    if (turn.some_arrive) {
      arrived_ = shift.wire[std::int64_t{row[11]} + cell];
    }
  }

  HEDDLE_HOST_DEVICE void store(const LaneTurn<lanes>& turn) const {
    if (place_ == nullptr) {
      return;
    }
    T moved[static_cast<std::size_t>(lanes)];
    if (turn.by == 1) {
      HEDDLE_EVERY_LANE
      for (int l = 0; l < lanes; ++l) {
        moved[l] = from_[(l + lanes - 1) % lanes];
      }
    } else if (turn.by == -1) {
      HEDDLE_EVERY_LANE
      for (int l = 0; l < lanes; ++l) {
        moved[l] = from_[(l + 1) % lanes];
      }
    } else {
      HEDDLE_EVERY_LANE
      for (int l = 0; l < lanes; ++l) {
        moved[l] = from_[0];
        HEDDLE_EVERY_LANE
        for (int s = 1; s < lanes; ++s) {  // an index known at run time would put the vector into memory
          if (source(turn, l) == static_cast<std::uint32_t>(s)) {
            moved[l] = from_[s];
          }
        }
      }
    }
    HEDDLE_EVERY_LANE
    for (int l = 0; l < lanes; ++l) {
      if (turn.some_stay && source(turn, l) == 15U) {
        moved[l] = old_[l];
      }
      if (turn.some_arrive && source(turn, l) == 14U) {
        moved[l] = arrived_;
      }
    }
    store_lanes<lanes>(place_, static_cast<const T*>(moved));
  }

 private:
  HEDDLE_HOST_DEVICE static std::uint32_t source(const LaneTurn<lanes>& turn, int lane) {
    return turn.sources >> (4 * lane) & 15U;
  }

  T* place_ = nullptr;
  T from_[static_cast<std::size_t>(lanes)] = {};
  T old_[static_cast<std::size_t>(lanes)] = {};
  T arrived_ = {};
};

/// Whether there are such vectors.
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
