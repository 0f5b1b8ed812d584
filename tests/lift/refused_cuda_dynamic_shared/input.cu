// SPDX-License-Identifier: Apache-2.0
// Refused: the launch says how large the shared memory is.
__global__ void scale(const float* __restrict__ u, float* __restrict__ v, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? u[i] : 0.0f;
  __syncthreads();
  if (i < n) v[i] = 2.0f * tile[threadIdx.x];
}
