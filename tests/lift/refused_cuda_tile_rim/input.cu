// SPDX-License-Identifier: Apache-2.0
// Refused: a thread at the rim reads what is loaded only inside the plane.
__global__ void upwind(const float* __restrict__ u, float* __restrict__ v, int n) {
  __shared__ float tile[65];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) tile[threadIdx.x + 1] = u[i];
  if (threadIdx.x == 0 && i > 0) tile[0] = u[i - 1];
  __syncthreads();
  if (i < n) v[i] = tile[threadIdx.x + 1] - tile[threadIdx.x];
}
