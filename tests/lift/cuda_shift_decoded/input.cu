// SPDX-License-Identifier: Apache-2.0
// A number of the thread that shifts and masks decode: rows of 64 cells.
__global__ void advance(const double* __restrict__ u, double* __restrict__ v, int rows, double dt) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = id & 63, j = id >> 6;
  if (id >= 64 * rows || i == 0) return;
  v[j * 64 + i] = u[j * 64 + i] - dt * (u[j * 64 + i] - u[j * 64 + i - 1]);
}
