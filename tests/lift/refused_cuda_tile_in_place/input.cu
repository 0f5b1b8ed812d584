// SPDX-License-Identifier: Apache-2.0
// Refused: the array of the tile is stored to; the tile keeps what it was.
__global__ void smooth(float* u) {
  __shared__ float tile[34];
  const int i = blockIdx.x * 32 + threadIdx.x + 1;
  tile[threadIdx.x + 1] = u[i];
  if (threadIdx.x == 0) tile[0] = u[i - 1];
  if (threadIdx.x == 31) tile[33] = u[i + 1];
  __syncthreads();
  u[i] = tile[threadIdx.x] + tile[threadIdx.x + 2];
}
