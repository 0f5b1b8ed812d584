// SPDX-License-Identifier: Apache-2.0
// Refused: a result is read while other threads add to it.
__global__ void limited(const double* __restrict__ a, double* total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && total[0] < 1.0) atomicAdd(total, a[i]);
}
