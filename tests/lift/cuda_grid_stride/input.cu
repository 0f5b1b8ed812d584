// SPDX-License-Identifier: Apache-2.0
// A grid-stride loop.
__global__ void axpy(const double* __restrict__ x, double* __restrict__ y, long n, double a) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}
