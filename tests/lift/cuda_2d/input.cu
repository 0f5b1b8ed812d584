// SPDX-License-Identifier: Apache-2.0
// A plane with a thread a cell; the work stands under the bounds.
__global__ void step(const double* __restrict__ u, double* __restrict__ u_next, int nx, int ny, double alpha) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i < nx - 1 && j < ny - 1) {
    const int c = j * nx + i;
    u_next[c] = u[c] + alpha * (u[c + 1] + u[c - 1] + u[c + nx] + u[c - nx] - 4.0 * u[c]);
  }
}
