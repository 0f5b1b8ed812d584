// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace {

__global__ void __launch_bounds__(maximum_block)
    maximum_kernel(double* __restrict__ result, const double* __restrict__ g, std::int64_t count) {
  __shared__ double largest[maximum_block];
  const unsigned t = threadIdx.x;
  const std::int64_t n = std::int64_t{blockIdx.x} * maximum_block + t;
  largest[t] = n < count ? fabs(g[n]) : 0.0;
  __syncthreads();
  for (unsigned step = maximum_block / 2u; step > 0u; step /= 2u) {
    if (t < step) largest[t] = fmax(largest[t], largest[t + step]);
    __syncthreads();
  }
  // The bits of doubles that are not negative order as the doubles do.
  if (t == 0u)
    atomicMax(reinterpret_cast<unsigned long long*>(result),
              static_cast<unsigned long long>(__double_as_longlong(largest[0])));
}

} // namespace

cudaError_t maximum(double* result, const double* g, std::int64_t count, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>((count + maximum_block - 1) / maximum_block));
  config.blockDim = dim3(maximum_block);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, maximum_kernel, result, g, count);
}
