// SPDX-License-Identifier: Apache-2.0
// Each thread adds up a column, then a block its threads.
__global__ void mass(const double* __restrict__ q, double* total, int n) {
  __shared__ double part[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  double own = 0.0;
  if (i < n) {
    for (int k = 0; k < 4; ++k) own += q[i + k * n];
  }
  part[threadIdx.x] = own;
  __syncthreads();
  for (int half = 64; half > 0; half >>= 1) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, part[0]);
}
