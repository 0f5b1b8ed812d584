// SPDX-License-Identifier: Apache-2.0
// A sum: a grid-stride loop, a tree in shared memory, and an atomic addition a block.
__global__ void total(const double* __restrict__ a, const double* __restrict__ b, double* sum, int n) {
  __shared__ double part[256];
  const int stride = gridDim.x * blockDim.x;
  double own = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) own += a[i] * b[i];
  part[threadIdx.x] = own;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}
