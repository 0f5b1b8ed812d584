// SPDX-License-Identifier: Apache-2.0
// A tile whose size the launch gives, with conditions at the rim of the plane.
#define WIDTH 32
#define HEIGHT 8
__global__ void smooth(const double* __restrict__ u, double* __restrict__ v, int nx, int ny) {
  __shared__ double tile[HEIGHT + 2][WIDTH + 2];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const bool inside = i < nx && j < ny;
  tile[ty][tx] = inside ? u[j * nx + i] : 0.0;
  if (threadIdx.x == 0 && i > 0 && j < ny) tile[ty][0] = u[j * nx + i - 1];
  if (threadIdx.x == blockDim.x - 1 && i + 1 < nx && j < ny) tile[ty][tx + 1] = u[j * nx + i + 1];
  if (threadIdx.y == 0 && j > 0 && i < nx) tile[0][tx] = u[(j - 1) * nx + i];
  if (threadIdx.y == blockDim.y - 1 && j + 1 < ny && i < nx) tile[ty + 1][tx] = u[(j + 1) * nx + i];
  __syncthreads();
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1)
    v[j * nx + i] = 0.25 * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}
