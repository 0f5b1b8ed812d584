// SPDX-License-Identifier: Apache-2.0
// A thread moves a few vectors, 16 bytes of a row in one access, where a pack kernel takes one lane of each vector. It
// loads them all first: few blocks then keep the memory busy, and leave room beside them for the sweep of the interior.
#include <cuda_runtime.h>

#include "cuda.hpp"
#include "cuda_check.hpp"
#include "lane_shift_cell.hpp"

namespace heddle::cuda {

namespace {

constexpr int threads = 256;
constexpr int vectors = 4; // of one thread

template <int lanes, typename T>
__global__ void __launch_bounds__(threads)
    shift(LaneShift<T> shift) {
  shift.row += blockIdx.y * LaneShiftRows::columns;
  const LaneTurn<lanes> turn(shift.row[10]);
  const auto first = static_cast<std::int32_t>(blockIdx.x * (threads * vectors) + threadIdx.x);
  ShiftedVector<lanes, T> of[vectors];
#pragma unroll
  for (int v = 0; v < vectors; ++v)
    of[v].load(shift, turn, first + v * threads);
#pragma unroll
  for (int v = 0; v < vectors; ++v)
    of[v].store(turn);
}

} // namespace

void shift_lanes(const LaneArray& array, const LaneShiftRows& rows, const void* wire, void* stream) {
  if (rows.count == 0 || rows.longest == 0) return;
  constexpr std::int64_t block = threads * vectors;
  const dim3 grid(static_cast<unsigned>((rows.longest + block - 1) / block), static_cast<unsigned>(rows.count));
  with_vector(array.value_bytes, array.lanes, [&]<int lanes, typename T>() {
    shift<lanes, T><<<grid, threads, 0, static_cast<cudaStream_t>(stream)>>>(
        {static_cast<T*>(array.data), array.stride[0], array.stride[1], array.stride[2], rows.rows,
         static_cast<const T*>(wire)});
  });
  check(cudaGetLastError(), "HaloExchange");
}

} // namespace heddle::cuda
