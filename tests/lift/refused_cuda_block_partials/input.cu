// SPDX-License-Identifier: Apache-2.0
// A maximum a block, by halving in shared memory.
__global__ void block_max(const float* a, float* result, int n) {
  __shared__ float best[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  best[threadIdx.x] = i < n ? a[i] : 0.0f;
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (threadIdx.x < half) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) result[blockIdx.x] = best[0];
}
