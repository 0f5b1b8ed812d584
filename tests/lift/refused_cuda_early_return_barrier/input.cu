// SPDX-License-Identifier: Apache-2.0
// Refused: some threads leave before the barrier.
__global__ void smooth(const float* __restrict__ u, float* __restrict__ v, int n) {
  __shared__ float tile[66];
  int i = blockIdx.x * 64 + threadIdx.x + 1;
  if (i >= n - 1) return;
  tile[threadIdx.x + 1] = u[i];
  if (threadIdx.x == 0) tile[0] = u[i - 1];
  if (threadIdx.x == 63) tile[65] = u[i + 1];
  __syncthreads();
  v[i] = tile[threadIdx.x] + tile[threadIdx.x + 2];
}
