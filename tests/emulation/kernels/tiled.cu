// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace {

__global__ void __launch_bounds__(tile_x* tile_y)
    tiled_kernel(double* __restrict__ f, const double* __restrict__ g, std::int64_t nx, std::int64_t ny) {
  __shared__ double tile[tile_y + 2][tile_x + 2];
  const std::int64_t first_x = std::int64_t{blockIdx.x} * tile_x;
  const std::int64_t first_y = std::int64_t{blockIdx.y} * tile_y;
  const std::int64_t row = nx + 2;
  const int thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
  for (int i = thread; i < (tile_x + 2) * (tile_y + 2); i += tile_x * tile_y) { // the tile and its rim
    const int tx = i % (tile_x + 2);
    const int ty = i / (tile_x + 2);
    const std::int64_t x = first_x + tx - 1;
    const std::int64_t y = first_y + ty - 1;
    if (x <= nx && y <= ny) tile[ty][tx] = g[x + row * y];
  }
  __syncthreads();
  const int tx = static_cast<int>(threadIdx.x) + 1;
  const int ty = static_cast<int>(threadIdx.y) + 1;
  const std::int64_t x = first_x + threadIdx.x;
  const std::int64_t y = first_y + threadIdx.y;
  if (x < nx && y < ny)
    f[x + row * y] = 0.5 * tile[ty][tx] +
                     0.125 * ((tile[ty][tx - 1] + tile[ty][tx + 1]) + (tile[ty - 1][tx] + tile[ty + 1][tx]));
}

} // namespace

cudaError_t tiled(double* f, const double* g, std::int64_t nx, std::int64_t ny, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>((nx + tile_x - 1) / tile_x),
                        static_cast<unsigned>((ny + tile_y - 1) / tile_y));
  config.blockDim = dim3(tile_x, tile_y);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, tiled_kernel, f, g, nx, ny);
}
