// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace {

template <class T>
__global__ void __launch_bounds__(64)
    jacobi_kernel(T* __restrict__ f, const T* __restrict__ g, std::int64_t nx, std::int64_t ny,
                  std::int64_t nz, T centre, T side) {
  const std::int64_t x = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t y = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const std::int64_t z = std::int64_t{blockIdx.z} * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  const std::int64_t row = nx + 2;
  const std::int64_t plane = row * (ny + 2);
  const std::int64_t n = x + row * y + plane * z;
  const T neighbours = __ldg(g + n - 1) + __ldg(g + n + 1) + (__ldg(g + n - row) + __ldg(g + n + row)) +
                       (__ldg(g + n - plane) + __ldg(g + n + plane));
  f[n] = fma(side, neighbours, centre * g[n]);
}

template <class T>
cudaError_t launch(T* f, const T* g, std::int64_t nx, std::int64_t ny, std::int64_t nz, cudaStream_t stream) {
  const auto blocks = [](std::int64_t cells, unsigned block) {
    return static_cast<unsigned>((cells + block - 1) / block);
  };
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks(nx, jacobi_block.x), blocks(ny, jacobi_block.y), blocks(nz, jacobi_block.z));
  config.blockDim = jacobi_block;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, jacobi_kernel<T>, f, g, nx, ny, nz, T(0.4), T(0.1));
}

} // namespace

cudaError_t jacobi(float* f, const float* g, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                   cudaStream_t stream) {
  return launch(f, g, nx, ny, nz, stream);
}

cudaError_t jacobi(double* f, const double* g, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                   cudaStream_t stream) {
  return launch(f, g, nx, ny, nz, stream);
}
