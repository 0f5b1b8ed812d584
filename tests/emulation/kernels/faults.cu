// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

// Kernels that are wrong on purpose; the tests know the line numbers of none, only what a report must name.

namespace {

cudaLaunchConfig_t configuration(unsigned blocks, unsigned threads, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return config;
}

__global__ void exits_before_barrier_kernel(double* data) {
  if (threadIdx.x >= blockDim.x - 3u) return;
  data[threadIdx.x] += 1.0;
  __syncthreads();
  data[threadIdx.x] += 1.0;
}

__global__ void barriers_at_two_lines_kernel(double* data) {
  if (threadIdx.x % 2u == 0u) {
    data[threadIdx.x] = 1.0;
    __syncthreads();
  } else {
    data[threadIdx.x] = 2.0;
    __syncthreads();
  }
}

__global__ void lacks_barrier_kernel(double* out, const double* in) {
  __shared__ double copy[64];
  const unsigned t = threadIdx.x;
  copy[t] = in[t];
  out[t] = copy[(t + 1u) % blockDim.x]; // the neighbour may not have written yet
  __syncthreads();
}

__global__ void waits_for_other_lanes_kernel(int* out) {
  if (threadIdx.x < 8u)
    out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);
  else
    __syncthreads();
}

__global__ void mask_without_caller_kernel(int* out) {
  out[threadIdx.x] = __shfl_sync(0x1u, 1, 0);
}

__global__ void bad_shuffle_width_kernel(int* out) {
  out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0, 12);
}

__global__ void reads_unset_shared_kernel(double* out) {
  __shared__ double value[1];
  if (blockIdx.x == 0u && threadIdx.x == 0u) value[0] = 1.0; // and the other blocks rely on it
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = value[0];
}

__global__ void overruns_shared_kernel(double* out, int index) {
  __shared__ double value[16];
  double* const pointer = value;
  pointer[index] = 1.0;
  __syncthreads();
  out[threadIdx.x] = value[threadIdx.x % 16u];
}

__global__ void updates_in_place_kernel(double* data) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  data[n + 1u] = 0.5 * (data[n] + data[n + 2u]);
}

__global__ void writes_its_turn_kernel(int* turns, int* next) {
  turns[blockIdx.x * blockDim.x + threadIdx.x] = (*next)++;
}

__global__ void traps_kernel(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 5u) __trap();
}

__global__ void trivial_kernel(int* out) {
  if (blockIdx.y == 0u && threadIdx.x == 0u && threadIdx.z == 0u) out[0] = 1;
}

} // namespace

cudaError_t exits_before_barrier(double* data, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(2, threads, stream);
  return cudaLaunchKernelEx(&config, exits_before_barrier_kernel, data);
}
cudaError_t barriers_at_two_lines(double* data, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(1, threads, stream);
  return cudaLaunchKernelEx(&config, barriers_at_two_lines_kernel, data);
}
cudaError_t lacks_barrier(double* out, const double* in, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(1, threads, stream);
  return cudaLaunchKernelEx(&config, lacks_barrier_kernel, out, in);
}
cudaError_t waits_for_other_lanes(int* out, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(1, threads, stream);
  return cudaLaunchKernelEx(&config, waits_for_other_lanes_kernel, out);
}
cudaError_t mask_without_caller(int* out, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(1, threads, stream);
  return cudaLaunchKernelEx(&config, mask_without_caller_kernel, out);
}
cudaError_t bad_shuffle_width(int* out, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(1, threads, stream);
  return cudaLaunchKernelEx(&config, bad_shuffle_width_kernel, out);
}
cudaError_t reads_unset_shared(double* out, unsigned blocks, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(blocks, threads, stream);
  return cudaLaunchKernelEx(&config, reads_unset_shared_kernel, out);
}
cudaError_t overruns_shared(double* out, int index, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(1, threads, stream);
  return cudaLaunchKernelEx(&config, overruns_shared_kernel, out, index);
}
cudaError_t updates_in_place(double* data, unsigned blocks, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(blocks, threads, stream);
  return cudaLaunchKernelEx(&config, updates_in_place_kernel, data);
}
cudaError_t writes_its_turn(int* turns, int* next, unsigned blocks, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(blocks, threads, stream);
  return cudaLaunchKernelEx(&config, writes_its_turn_kernel, turns, next);
}
cudaError_t traps(int* out, unsigned threads, cudaStream_t stream) {
  const cudaLaunchConfig_t config = configuration(1, threads, stream);
  return cudaLaunchKernelEx(&config, traps_kernel, out);
}
cudaError_t launches_with(int* out, const cudaLaunchConfig_t& config) {
  return cudaLaunchKernelEx(&config, trivial_kernel, out);
}
