// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace {

__global__ void collectives_kernel(std::int64_t* out) {
  const int t = static_cast<int>(threadIdx.x);
  const int lane = t % warpSize;
  const unsigned warp_threads = min(blockDim.x - threadIdx.x + static_cast<unsigned>(lane), 32u);
  const unsigned mask = warp_threads == 32u ? 0xffffffffu : (1u << warp_threads) - 1u;
  std::int64_t* result = out + std::int64_t{t} * collective_results;
  result[0] = __shfl_sync(mask, t, 3);
  result[1] = __shfl_sync(mask, t, 5, 8);
  result[2] = __shfl_up_sync(mask, t, 1u);
  result[3] = __shfl_up_sync(mask, t, 3u, 4);
  result[4] = __shfl_down_sync(mask, t, 2u);
  result[5] = __shfl_down_sync(mask, t, 1u, 2);
  result[6] = __shfl_xor_sync(mask, t, 1);
  result[7] = __shfl_xor_sync(mask, t, 5, 4);
  result[8] = static_cast<std::int64_t>(__ballot_sync(mask, lane % 3 == 0));
  result[9] = __any_sync(mask, t == 2);
  result[10] = __all_sync(mask, t < 40);
  result[11] = static_cast<std::int64_t>(__shfl_sync(mask, 1.5 * t, lane));
  result[12] = __shfl_sync(mask, static_cast<long long>(t) << 40, 2);
  // Two halves of the warp at two places: allowed, as each names its own lanes.
  if (lane < 4)
    result[13] = __shfl_xor_sync(0xfu & mask, t, 1);
  else
    result[13] = __shfl_up_sync(~0xfu & mask, t, 1u);
  __syncwarp(mask);
  result[14] = static_cast<std::int64_t>(__shfl_down_sync(mask, static_cast<float>(t), 4u, 2));
}

__global__ void block_votes_kernel(int* out, const int* in) {
  const unsigned t = threadIdx.x;
  out[3u * t] = __syncthreads_count(in[t] % 2);
  out[3u * t + 1u] = __syncthreads_and(in[t] % 2);
  out[3u * t + 2u] = __syncthreads_or(in[t] % 2);
}

__global__ void atomics_kernel(AtomicTargets targets) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x + 1u;
  atomicAdd(targets.i, static_cast<int>(n));
  atomicAdd(targets.u, n);
  atomicAdd(targets.ull, static_cast<unsigned long long>(n));
  atomicAdd(targets.f, static_cast<float>(n));
  atomicAdd(targets.d, static_cast<double>(n));
  atomicMax(targets.largest, static_cast<int>(n));
  atomicMin(targets.smallest, -static_cast<int>(n));
}

__global__ void coordinates_kernel(int* count) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  count[x + gridDim.x * blockDim.x * (y + gridDim.y * blockDim.y * z)] += 1;
}

} // namespace

cudaError_t collectives(std::int64_t* out, unsigned threads, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, collectives_kernel, out);
}

cudaError_t block_votes(int* out, const int* in, unsigned threads, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, block_votes_kernel, out, in);
}

cudaError_t atomics(AtomicTargets targets, unsigned blocks, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(64);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, atomics_kernel, targets);
}

cudaError_t coordinates(int* count, dim3 grid, dim3 block, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, coordinates_kernel, count);
}
