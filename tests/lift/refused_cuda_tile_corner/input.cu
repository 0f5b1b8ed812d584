// SPDX-License-Identifier: Apache-2.0
// Refused: the corners of the tile are read, but nobody loads them.
__global__ void nine_points(const float* __restrict__ u, float* __restrict__ v, int nx) {
  __shared__ float tile[18][18];
  int i = blockIdx.x * 16 + threadIdx.x + 1, j = blockIdx.y * 16 + threadIdx.y + 1;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  tile[ty][tx] = u[i + j * nx];
  if (threadIdx.x == 0) tile[ty][0] = u[i - 1 + j * nx];
  if (threadIdx.x == 15) tile[ty][17] = u[i + 1 + j * nx];
  if (threadIdx.y == 0) tile[0][tx] = u[i + (j - 1) * nx];
  if (threadIdx.y == 15) tile[17][tx] = u[i + (j + 1) * nx];
  __syncthreads();
  v[i + j * nx] = tile[ty][tx] + tile[ty - 1][tx - 1];
}
