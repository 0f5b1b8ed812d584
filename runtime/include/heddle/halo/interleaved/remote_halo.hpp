// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_INTERLEAVED_REMOTE_HALO_HPP
#define HEDDLE_HALO_INTERLEAVED_REMOTE_HALO_HPP

#include <array>
#include <cstdint>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/lane_array.hpp"
#include "heddle/halo/interleaved/local_halo.hpp"

namespace heddle {

/// A box of vectors that is sent from one rank to another. In the message buffer, vectors are contiguous, x
/// fastest, with their lanes already at their target positions.
struct RemoteHaloRow {
  std::int32_t component = 0;
  Index3 from{}; // the first cell
  Index3 to{};
  Index3 extent{};
  std::uint32_t sources = 0;     // LaneSources; what stays is not written
  std::int32_t first_value = 0;  // in the message buffer
  std::int32_t target = 0;       // the number of the array at the other end
  std::int32_t first_of_its = 0; // blocks of cells, see RemoteHaloRows::of_block
};

/// A table of boxes, in the memory of the arrays.
struct RemoteHaloRows {
  /// Cells that go to one block of CUDA threads.
  static constexpr int cells_of_block = 256;
  const RemoteHaloRow* rows = nullptr;
  std::int64_t count = 0;
  /// The row of each block of cells.
  const std::int32_t* of_block = nullptr;
  std::int64_t blocks = 0;
};

/// Arrays that a table may have rows for, at most.
inline constexpr std::size_t most_targets = 8;
using MoveTargets = std::array<LaneArray, most_targets>;

/// From an array to the message buffer: the lanes that stay are left as they are there.
void pack_vectors(const LaneArray& array, const RemoteHaloRows& rows, void* buffer, Memory memory,
                  Stream& stream);
/// From the message buffer to an array, where lanes that stay are left as they are.
void unpack_vectors(const LaneArray& array, const RemoteHaloRows& rows, const void* buffer, Memory memory,
                    Stream& stream);
/// From an array straight to those of other ranks.
void store_vectors(const LaneArray& array, const RemoteHaloRows& rows, const MoveTargets& targets,
                   Memory memory, Stream& stream);

} // namespace heddle

#endif
