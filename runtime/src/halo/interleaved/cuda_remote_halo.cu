// SPDX-License-Identifier: Apache-2.0
// A thread for each vector, for all boxes that go from one array to other ranks. What is stored into the
// memory of another device travels while the next vectors are read.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "cuda_copies.hpp"
#include "heddle/core/gpu/cuda_check.hpp"
#include "remote_halo_vector.hpp"

namespace heddle::cuda {

namespace {

/// Of stores into the memory of another device. So many fill the way there; more would keep multiprocessors
/// from the interior that is computed meanwhile (512^3 on four H200 in f32: 103.0 instead of 101.6 GLUPS,
/// with half as many 256^3 slows down).
constexpr std::int64_t most_blocks = 64;

template <int lanes, typename T>
__global__ void __launch_bounds__(RemoteHaloRows::cells_of_block)
    move(__grid_constant__ const RemoteHaloCopy<T> move, const std::int32_t* of_block, std::int32_t blocks) {
  for (auto block = static_cast<std::int32_t>(blockIdx.x); block < blocks;
       block += static_cast<std::int32_t>(gridDim.x)) {
    const std::int32_t* const row = move.rows + std::int64_t{of_block[block]} * RemoteHaloRows::columns;
    move_cell<lanes>(move, row,
                     (block - row[RemoteHaloRows::block]) * RemoteHaloRows::cells_of_block +
                         static_cast<std::int32_t>(threadIdx.x));
  }
}

} // namespace

void copy_remote_halo(const LaneArray& array, const RemoteHaloRows& rows, void* to_wire,
                      const void* from_wire, const MoveTargets& targets, void* stream) {
  if (rows.blocks == 0) return;
  with_vector(array.value_bytes, array.lanes, [&]<int lanes, typename T>() {
    const RemoteHaloCopy<T> one(array, rows, to_wire, from_wire, targets);
    const bool to_another_device = to_wire == nullptr && from_wire == nullptr;
    const auto grid =
        static_cast<unsigned>(to_another_device ? std::min(rows.blocks, most_blocks) : rows.blocks);
    move<lanes, T><<<grid, RemoteHaloRows::cells_of_block, 0, static_cast<cudaStream_t>(stream)>>>(
        one, rows.of_block, static_cast<std::int32_t>(rows.blocks));
  });
  check(cudaGetLastError(), "HaloExchange");
}

} // namespace heddle::cuda
