// SPDX-License-Identifier: Apache-2.0
// Refused: a thread reads what another one loads, with no barrier between.
__global__ void racing(const float* __restrict__ u, float* __restrict__ v) {
  __shared__ float tile[33];
  int i = blockIdx.x * 32 + threadIdx.x + 1;
  tile[threadIdx.x + 1] = u[i];
  if (threadIdx.x == 0) tile[0] = u[i - 1];
  v[i] = tile[threadIdx.x + 1] - tile[threadIdx.x];
}
