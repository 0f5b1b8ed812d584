// SPDX-License-Identifier: Apache-2.0
// Each thread adds to a result itself.
__global__ void total_mass(const int* __restrict__ flag, const double* __restrict__ f, double* mass, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (flag[i] == 0) atomicAdd(mass, f[i]);
}
