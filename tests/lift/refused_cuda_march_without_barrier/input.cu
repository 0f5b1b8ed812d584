// SPDX-License-Identifier: Apache-2.0
// Refused: the next plane is loaded while other threads still read this one.
__global__ void gradient(const float* __restrict__ u, float* __restrict__ v, int n, int nz) {
  __shared__ float row[34];
  const int i = blockIdx.x * 32 + threadIdx.x + 1;
  for (int k = 0; k < nz; ++k) {
    row[threadIdx.x + 1] = u[i + k * n];
    if (threadIdx.x == 0) row[0] = u[i - 1 + k * n];
    if (threadIdx.x == 31) row[33] = u[i + 1 + k * n];
    __syncthreads();
    v[i + k * n] = row[threadIdx.x + 2] - row[threadIdx.x];
  }
}
