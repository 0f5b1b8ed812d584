// SPDX-License-Identifier: Apache-2.0
// A one-dimensional thread number, decoded by / and %.
__global__ void copy_shifted(const float* __restrict__ a, float* __restrict__ b, int nx, int ny, int nz) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= nx * ny * nz) return;
  int i = id % nx;
  int j = (id / nx) % ny;
  int k = id / (nx * ny);
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1)
    b[id] = 0.5f * (a[id - 1] + a[id + 1]) + a[id + nx] - a[id - nx] + a[id + nx * ny] - a[id - nx * ny];
}
