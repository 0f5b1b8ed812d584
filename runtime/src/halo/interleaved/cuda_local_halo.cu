// SPDX-License-Identifier: Apache-2.0
// One thread a vector: 16 bytes of a row in one access, where a pack kernel takes one lane of each vector.
#include <cuda_runtime.h>

#include "cuda_copies.hpp"
#include "heddle/core/gpu/cuda_check.hpp"
#include "local_halo_vector.hpp"

namespace heddle::cuda {

namespace {

constexpr int threads = 256;

template <int lanes, typename T>
__global__ void __launch_bounds__(threads) shift(LocalHaloCopy<T> shift, unsigned count) {
  // The same cells of all rows at about the same time: what two of them read is then still in the cache.
  shift.row += blockIdx.x % count * LocalHaloRows::columns;
  copy_local_vector(shift, LaneRotation<lanes>(shift.row),
                    static_cast<std::int32_t>(blockIdx.x / count * threads + threadIdx.x));
}

} // namespace

void copy_local_halo(const LaneArray& array, const LocalHaloRows& rows, const void* wire, void* stream) {
  if (rows.count == 0 || rows.longest == 0) return;
  const auto count = static_cast<unsigned>(rows.count);
  const unsigned blocks = static_cast<unsigned>((rows.longest + threads - 1) / threads) * count;
  with_vector(array.value_bytes, array.lanes, [&]<int lanes, typename T>() {
    shift<lanes, T><<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(
        {VectorArray<T>(array), rows.rows, static_cast<const T*>(wire)}, count);
  });
  check(cudaGetLastError(), "HaloExchange");
}

} // namespace heddle::cuda
