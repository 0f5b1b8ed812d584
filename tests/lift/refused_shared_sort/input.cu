// SPDX-License-Identifier: Apache-2.0
// Refused: threads exchange values in shared memory for something that is no sum, minimum or maximum.
__global__ void odd_even(float* __restrict__ u) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = u[blockIdx.x * 64 + t];
  __syncthreads();
  if (t % 2 == 0 && s[t] > s[t + 1]) {
    float swap = s[t];
    s[t] = s[t + 1];
    s[t + 1] = swap;
  }
  __syncthreads();
  u[blockIdx.x * 64 + t] = s[t];
}
