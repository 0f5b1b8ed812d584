// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_HALO_INTERLEAVED_REMOTE_HALO_VECTOR_HPP
#define HEDDLE_SRC_HALO_INTERLEAVED_REMOTE_HALO_VECTOR_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/device/interleaved_vector.hpp"
#include "heddle/device/qualifiers.hpp"
#include "heddle/halo/interleaved/remote_halo.hpp"
#include "local_halo_vector.hpp"

namespace heddle {

/// A move as its kernel gets it. Without a buffer it goes straight to a target.
template <typename T> struct RemoteHaloCopy {
  RemoteHaloCopy(const LaneArray& from, const RemoteHaloRows& table, void* to_buffer_,
                 const void* from_buffer_, const MoveTargets& others)
      : array(from), rows(table.rows), to_buffer(static_cast<T*>(to_buffer_)),
        from_buffer(static_cast<const T*>(from_buffer_)) {
    for (std::size_t t = 0; t < most_targets; ++t)
      targets[t] = VectorArray<T>(others[t]);
  }

  VectorArray<T> array;
  const RemoteHaloRow* rows;
  T* to_buffer;
  const T* from_buffer;
  VectorArray<T> targets[most_targets];
};

/// Moves the vector of one cell of a row; beyond the last one nothing happens.
template <int lanes, typename T>
HEDDLE_HOST_DEVICE inline void move_cell(const RemoteHaloCopy<T>& move, const RemoteHaloRow& row,
                                         std::int32_t cell) {
  const CellOfBox in_box(row.extent, cell);
  if (!in_box.there) {
    return;
  }
  const auto end = [&](const VectorArray<T>& array, const Index3& first) {
    return array.template at<lanes>(row.component, first, in_box);
  };
  const std::int64_t place = row.first_value + std::int64_t{cell} * lanes;
  const auto sources = row.sources;
  const T* const source = move.from_buffer != nullptr ? move.from_buffer + place : end(move.array, row.from);
  T* const to = move.to_buffer != nullptr     ? move.to_buffer + place
                : move.from_buffer != nullptr ? end(move.array, row.to)
                                              : end(move.targets[row.target], row.to);
  T from[static_cast<std::size_t>(lanes)];
  load_vector<lanes>(from, source);
  if ((sources & LaneRotation<lanes>::all) == LaneRotation<lanes>::turned(0)) {
    store_vector<lanes>(to, static_cast<const T*>(from));
    return;
  }
  HEDDLE_UNROLL
  for (int l = 0; l < lanes; ++l) {
    const std::uint32_t wanted = sources >> (4 * l) & 15U;
    if (wanted == LaneSources::stays) {
      continue;
    }
    T value = from[l]; // in the message buffer, lanes lie where they belong
    if (move.from_buffer == nullptr) {
      HEDDLE_UNROLL
      for (int s = 0; s < lanes; ++s) { // an index known at run time would put the vector into memory
        value = wanted == static_cast<std::uint32_t>(s) ? from[s] : value;
      }
    }
    to[l] = value;
  }
}

} // namespace heddle

#endif
