// SPDX-License-Identifier: Apache-2.0
// Refused: below 0 an unsigned number is a large one, so that thread 0 loads nothing.
__global__ void copy(const float* __restrict__ u, float* __restrict__ v) {
  __shared__ float tile[32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (threadIdx.x - 1 < 32) tile[threadIdx.x] = u[i];
  __syncthreads();
  v[i] = tile[threadIdx.x];
}
