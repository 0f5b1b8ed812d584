// SPDX-License-Identifier: Apache-2.0
// Seven-point Jacobi with a thread a cell, three-dimensional blocks, early return outside the interior.
__global__ void jacobi(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz, float c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < 1 || i >= nx - 1 || j < 1 || j >= ny - 1 || k < 1 || k >= nz - 1) return;
  int p = i + nx * (j + ny * k);
  v[p] = u[p] + c * (u[p + 1] + u[p - 1] + u[p + nx] + u[p - nx] + u[p + nx * ny] + u[p - nx * ny] - 6.0f * u[p]);
}
