// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_INTERLEAVED_REMOTE_HALO_HPP
#define HEDDLE_HALO_INTERLEAVED_REMOTE_HALO_HPP

#include <array>
#include <cstdint>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/lane_array.hpp"

namespace heddle {

/// A table of boxes of vectors that cross between two ranks, in the memory of the arrays. On the wire a box
/// is a vector after the other, x fastest, with its lanes where they belong at the other end.
struct RemoteHaloRows {
  /// Component, first cell from, first cell to, extent (x, y, z each), for each lane the one that it comes
  /// from (LaneSources; what stays is not written), the first value on the wire, the number of the array at
  /// the other end, and the first of the blocks of cells (see `of_block`) that are this row's.
  static constexpr int columns = 14;
  enum Column {
    component = 0,
    from = 1,
    to = 4,
    extent = 7,
    sources = 10,
    place = 11,
    target = 12,
    block = 13
  };
  /// Cells that go to one block of CUDA threads.
  static constexpr int cells_of_block = 256;
  const std::int32_t* rows = nullptr;
  std::int64_t count = 0;
  /// The row of each block of cells.
  const std::int32_t* of_block = nullptr;
  std::int64_t blocks = 0;
};

/// Arrays that a table may have rows for, at most.
inline constexpr std::size_t most_targets = 8;
using MoveTargets = std::array<LaneArray, most_targets>;

/// From an array to the wire: the lanes that stay are left as they are there.
void pack_vectors(const LaneArray& array, const RemoteHaloRows& rows, void* wire, Memory memory,
                  Stream& stream);
/// From the wire to an array, where lanes that stay are left as they are.
void unpack_vectors(const LaneArray& array, const RemoteHaloRows& rows, const void* wire, Memory memory,
                    Stream& stream);
/// From an array straight to those of other ranks.
void store_vectors(const LaneArray& array, const RemoteHaloRows& rows, const MoveTargets& targets,
                   Memory memory, Stream& stream);

} // namespace heddle

#endif
