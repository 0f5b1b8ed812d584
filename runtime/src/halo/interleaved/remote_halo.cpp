// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/interleaved/remote_halo.hpp"

#include "cuda_copies.hpp"
#include "heddle/core/parallel.hpp"
#include "remote_halo_vector.hpp"

namespace heddle {

namespace {

void move(const LaneArray& array, const RemoteHaloRows& rows, void* to_wire, const void* from_wire,
          const MoveTargets& targets, Memory memory, Stream& stream) {
  if (memory == Memory::device) {
    cuda::copy_remote_halo(array, rows, to_wire, from_wire, targets, stream.native());
    return;
  }
  with_vector(array.value_bytes, array.lanes, [&]<int lanes, typename T>() {
    const RemoteHaloCopy<T> one(array, rows, to_wire, from_wire, targets);
    parallel_ranges(rows.blocks, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t block = first; block < last; ++block) {
        const std::int32_t* const row =
            rows.rows + std::int64_t{rows.of_block[block]} * RemoteHaloRows::columns;
        const auto nth = static_cast<std::int32_t>(block - row[RemoteHaloRows::block]);
        const std::int32_t begin = nth * RemoteHaloRows::cells_of_block;
        for (std::int32_t cell = begin; cell < begin + RemoteHaloRows::cells_of_block; ++cell)
          move_cell<lanes>(one, row, cell);
      }
    });
  });
}

} // namespace

void pack_vectors(const LaneArray& array, const RemoteHaloRows& rows, void* wire, Memory memory,
                  Stream& stream) {
  move(array, rows, wire, nullptr, {}, memory, stream);
}

void unpack_vectors(const LaneArray& array, const RemoteHaloRows& rows, const void* wire, Memory memory,
                    Stream& stream) {
  move(array, rows, nullptr, wire, {}, memory, stream);
}

void store_vectors(const LaneArray& array, const RemoteHaloRows& rows, const MoveTargets& targets,
                   Memory memory, Stream& stream) {
  move(array, rows, nullptr, nullptr, targets, memory, stream);
}

} // namespace heddle
