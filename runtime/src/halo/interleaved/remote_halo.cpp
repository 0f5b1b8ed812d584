// SPDX-License-Identifier: Apache-2.0
// A vector an index, for all boxes that go from one array to other ranks. What is stored into the memory of
// another device travels while the next vectors are read.
#include "heddle/halo/interleaved/remote_halo.hpp"

#include <limits>

#include "heddle/core/for_each.hpp"
#include "remote_halo_vector.hpp"

namespace heddle {

namespace {

/// Of stores into the memory of another device. So many fill the way there; more would keep multiprocessors
/// from the interior that is computed meanwhile (512^3 on four H200 in f32: 103.0 instead of 101.6 GLUPS,
/// with half as many 256^3 slows down).
constexpr std::int64_t most_blocks = 64;

static_assert(RemoteHaloRows::cells_of_block == loop_tile);

template <int lanes, typename T> struct CopyRemoteVectors {
  RemoteHaloCopy<T> move;
  const std::int32_t* of_block;

  HEDDLE_HOST_DEVICE void operator()(std::int64_t i) const {
    const auto block = static_cast<std::int32_t>(i / loop_tile);
    const RemoteHaloRow& row = move.rows[of_block[block]];
    move_cell<lanes>(move, row,
                     (block - row.first_of_its) * loop_tile + static_cast<std::int32_t>(i % loop_tile));
  }
};

void move(const LaneArray& array, const RemoteHaloRows& rows, void* to_buffer, const void* from_buffer,
          const MoveTargets& targets, Memory memory, Stream& stream) {
  const bool to_other_ranks = to_buffer == nullptr && from_buffer == nullptr;
  with_vector(array.value_bytes, array.lanes, [&]<int lanes, typename T>() {
    for_each(rows.blocks * loop_tile, memory, stream,
             CopyRemoteVectors<lanes, T>{{array, rows, to_buffer, from_buffer, targets}, rows.of_block},
             to_other_ranks ? most_blocks : std::numeric_limits<std::int64_t>::max());
  });
}

} // namespace

void pack_vectors(const LaneArray& array, const RemoteHaloRows& rows, void* buffer, Memory memory,
                  Stream& stream) {
  move(array, rows, buffer, nullptr, {}, memory, stream);
}

void unpack_vectors(const LaneArray& array, const RemoteHaloRows& rows, const void* buffer, Memory memory,
                    Stream& stream) {
  move(array, rows, nullptr, buffer, {}, memory, stream);
}

void store_vectors(const LaneArray& array, const RemoteHaloRows& rows, const MoveTargets& targets,
                   Memory memory, Stream& stream) {
  move(array, rows, nullptr, nullptr, targets, memory, stream);
}

} // namespace heddle
