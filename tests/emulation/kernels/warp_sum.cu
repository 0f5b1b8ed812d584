// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace {

__device__ __forceinline__ double sum_of_warp(double value) {
  for (unsigned delta = 16u; delta > 0u; delta /= 2u)
    value += __shfl_down_sync(0xffffffffu, value, delta);
  return value;
}

__global__ void __launch_bounds__(sum_block)
    warp_sum_kernel(double* __restrict__ partial, const double* __restrict__ g, std::int64_t count) {
  __shared__ double sums[sum_block / 32u];
  const unsigned t = threadIdx.x;
  const std::int64_t n = std::int64_t{blockIdx.x} * sum_block + t;
  const double sum = sum_of_warp(n < count ? g[n] : 0.0);
  if (t % static_cast<unsigned>(warpSize) == 0u) sums[t / 32u] = sum;
  __syncthreads();
  if (t < 32u) {
    const double total = sum_of_warp(t < sum_block / 32u ? sums[t] : 0.0);
    if (t == 0u) partial[blockIdx.x] = total;
  }
}

} // namespace

cudaError_t warp_sum(double* partial, const double* g, std::int64_t count, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>((count + sum_block - 1) / sum_block));
  config.blockDim = dim3(sum_block);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, warp_sum_kernel, partial, g, count);
}
