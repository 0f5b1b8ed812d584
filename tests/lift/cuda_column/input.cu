// SPDX-License-Identifier: Apache-2.0
// A thread a column; each marches upwards.
__global__ void integrate(const float* __restrict__ rate, float* __restrict__ total, int nx, int ny, int nz, float dz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float sum = 0.0f;
  for (int k = 0; k < nz; ++k) {
    int c = i + nx * (j + ny * k);
    sum += rate[c] * dz;
    total[c] = sum;
  }
}
