// SPDX-License-Identifier: Apache-2.0
// Refused: at one rim of the tile stands another element than inside it.
__global__ void shifted(const float* __restrict__ u, float* __restrict__ v) {
  __shared__ float tile[34];
  int i = blockIdx.x * 32 + threadIdx.x + 1;
  tile[threadIdx.x + 1] = u[i];
  if (threadIdx.x == 0) tile[0] = u[i];
  __syncthreads();
  v[i] = tile[threadIdx.x] + tile[threadIdx.x + 1];
}
