// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_HALO_INTERLEAVED_LOCAL_HALO_VECTOR_HPP
#define HEDDLE_SRC_HALO_INTERLEAVED_LOCAL_HALO_VECTOR_HPP

#include <cstddef>
#include <cstdint>

#include "heddle/device/interleaved_vector.hpp"
#include "heddle/device/qualifiers.hpp"
#include "heddle/halo/interleaved/local_halo.hpp"

namespace heddle {

/// A cell of a box, and whether the box has it. Cells are counted x fastest.
struct CellOfBox {
  HEDDLE_HOST_DEVICE CellOfBox(const Index3& extent, std::int32_t cell) {
    const auto n = static_cast<std::uint32_t>(cell);
    const auto x_count = static_cast<std::uint32_t>(extent.x);
    const auto y_count = static_cast<std::uint32_t>(extent.y);
    there = n < x_count * y_count * static_cast<std::uint32_t>(extent.z);
    if (!there) {
      return;
    }
    const std::uint32_t line = n / x_count;
    x = static_cast<std::int32_t>(n - line * x_count);
    z = static_cast<std::int32_t>(line / y_count);
    y = static_cast<std::int32_t>(line - static_cast<std::uint32_t>(z) * y_count);
  }

  bool there;
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;
};

/// An array of vectors (see LaneArray).
template <typename T> struct VectorArray {
  T* data;
  std::int64_t stride_y;
  std::int64_t stride_z;
  std::int64_t stride_component;

  VectorArray() = default;
  explicit VectorArray(const LaneArray& array)
      : data(static_cast<T*>(array.data)), stride_y(array.stride[0]), stride_z(array.stride[1]),
        stride_component(array.stride[2]) {}

  /// The vector of a cell of a box that begins at `first`.
  template <int lanes>
  HEDDLE_HOST_DEVICE T* at(std::int32_t component, const Index3& first, const CellOfBox& cell) const {
    return data + component * stride_component + std::int64_t{first.x + cell.x} * lanes +
           (first.y + cell.y) * stride_y + (first.z + cell.z) * stride_z;
  }
};

/// Where a shift happens: an array of vectors, a row, and the message buffer.
template <typename T> struct LocalHaloCopy {
  VectorArray<T> array;
  const LocalHaloRow* row;
  const T* buffer;
};

/// The sources of a row (see LaneSources) of vectors of so many lanes.
template <int lanes> struct LaneRotation {
  static constexpr std::uint32_t all = lanes == 8 ? 0xffffffffU : (1U << (4 * lanes)) - 1U;

  /// Each lane from the one `by` lanes below.
  HEDDLE_HOST_DEVICE static constexpr std::uint32_t turned(int by) {
    std::uint32_t sources = 0;
    for (int l = 0; l < lanes; ++l) {
      sources |= static_cast<std::uint32_t>((l - by + lanes) % lanes) << (4 * l);
    }
    return sources;
  }

  HEDDLE_HOST_DEVICE explicit LaneRotation(const LocalHaloRow& row)
      : sources(row.sources & all), reflected(row.reflected) {
    const std::uint32_t special = sources >> 3 & 0x11111111U; // lanes that stay (15) or arrive (14)
    const std::uint32_t staying = special & sources;
    const std::uint32_t others = all & ~(special * 15U);
    for (int l = 0; l < lanes; ++l) {
      some_stay = some_stay || (staying >> (4 * l) & ~reflected >> l & 1U) != 0;
    }
    some_move = others != 0;
    some_arrive = staying != special;
    constexpr std::uint32_t up = turned(1);
    constexpr std::uint32_t down = turned(-1);
    by = ((sources ^ up) & others) == 0 ? 1 : ((sources ^ down) & others) == 0 ? -1 : 0;
  }

  std::uint32_t sources;
  std::uint32_t reflected; // one bit per lane
  bool some_move = false;
  bool some_stay = false; // as they were, not reflected
  bool some_arrive = false;
  int by = 0; // 1, -1: lanes turn by one; 0: any other way
};

/// A vector that is about to be written: lane l is `moved(l)`, or arrives, or is as in `old`.
template <int lanes, typename T, typename Moved>
HEDDLE_HOST_DEVICE inline void store_moved(T* place, const LaneRotation<lanes>& turn, const T* old, T arrived,
                                           const Moved& moved) {
  T to[static_cast<std::size_t>(lanes)];
  HEDDLE_UNROLL
  for (int l = 0; l < lanes; ++l) {
    const std::uint32_t source = turn.sources >> (4 * l) & 15U;
    to[l] = source == 15U ? old[l] : source == 14U ? arrived : moved(l, source);
  }
  store_vector<lanes>(place, static_cast<const T*>(to));
}

/// Writes the vector of one cell of a box; beyond the last one nothing happens.
template <int lanes, typename T>
HEDDLE_HOST_DEVICE inline void copy_local_vector(const LocalHaloCopy<T>& shift,
                                                 const LaneRotation<lanes>& turn, std::int32_t cell) {
  const LocalHaloRow& row = *shift.row;
  const CellOfBox in_box(row.extent, cell);
  if (!in_box.there) {
    return;
  }
  const auto at = [&](std::int32_t component, const Index3& first) {
    return shift.array.template at<lanes>(component, first, in_box);
  };
  T from[static_cast<std::size_t>(lanes)] = {};
  T old[static_cast<std::size_t>(lanes)] = {};
  T arrived = {};
  T* const place = at(row.component, row.to);
  if (turn.reflected != 0 && !turn.some_move && !turn.some_arrive) { // others may be writing the other lanes
    const T* const wall = at(row.wall_component, row.wall);
    for (int l = 0; l < lanes; ++l) {
      if ((turn.reflected >> l & 1U) != 0) {
        place[l] = wall[l];
      }
    }
    return;
  }
  if (turn.some_move) {
    load_vector<lanes>(from, static_cast<const T*>(at(row.component, row.from)));
  }
  if (turn.some_stay) {
    load_vector<lanes>(old, static_cast<const T*>(place));
  }
  if (turn.reflected != 0) {
    T wall[static_cast<std::size_t>(lanes)];
    load_vector<lanes>(wall, static_cast<const T*>(at(row.wall_component, row.wall)));
    HEDDLE_UNROLL
    for (int l = 0; l < lanes; ++l) {
      old[l] = (turn.reflected >> l & 1U) != 0 ? wall[l] : old[l];
    }
  }
  if (turn.some_arrive) {
    arrived = shift.buffer[std::int64_t{row.arrives_at} + cell];
  }
  if (turn.by > 0) {
    store_moved(place, turn, old, arrived,
                [&](int l, std::uint32_t) { return from[(l + lanes - 1) % lanes]; });
  } else if (turn.by < 0) {
    store_moved(place, turn, old, arrived, [&](int l, std::uint32_t) { return from[(l + 1) % lanes]; });
  } else {
    store_moved(place, turn, old, arrived, [&](int, std::uint32_t source) {
      T found = from[0];
      HEDDLE_UNROLL
      for (int s = 1; s < lanes; ++s) { // an index known at run time would put the vector into memory
        found = source == static_cast<std::uint32_t>(s) ? from[s] : found;
      }
      return found;
    });
  }
}

/// Whether there is a copy_local_vector for such vectors.
[[nodiscard]] constexpr bool can_shift(std::size_t value_bytes, int lanes) noexcept {
  return (value_bytes == 2 || value_bytes == 4 || value_bytes == 8) &&
         (lanes == 2 || lanes == 4 || lanes == 8);
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
