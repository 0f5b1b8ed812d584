// SPDX-License-Identifier: Apache-2.0
// The largest change, by one block: a loop with its stride, then a tree in shared memory.
__global__ void largest(const double* __restrict__ a, const double* __restrict__ b, double* result, int n) {
  __shared__ double best[512];
  double own = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own = fmax(own, fabs(a[i] - b[i]));
  best[threadIdx.x] = own;
  __syncthreads();
  for (unsigned half = 256; half > 0; half /= 2) {
    if (threadIdx.x < half) best[threadIdx.x] = fmax(best[threadIdx.x], best[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) result[0] = best[0];
}
