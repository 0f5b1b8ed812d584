// SPDX-License-Identifier: Apache-2.0
// A tile with a rim in shared memory: a way to run a five-point stencil, not a part of it.
__global__ void tiled(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, float c) {
  __shared__ float tile[18][18];
  int i = blockIdx.x * 16 + threadIdx.x + 1;
  int j = blockIdx.y * 16 + threadIdx.y + 1;
  int tx = threadIdx.x + 1;
  int ty = threadIdx.y + 1;
  tile[ty][tx] = u[i + j * nx];
  if (threadIdx.x == 0) tile[ty][0] = u[i - 1 + j * nx];
  if (threadIdx.x == 15) tile[ty][17] = u[i + 1 + j * nx];
  if (threadIdx.y == 0) tile[0][tx] = u[i + (j - 1) * nx];
  if (threadIdx.y == 15) tile[17][tx] = u[i + (j + 1) * nx];
  __syncthreads();
  v[i + j * nx] = tile[ty][tx] +
                  c * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] - 4.0f * tile[ty][tx]);
}
