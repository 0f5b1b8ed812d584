// SPDX-License-Identifier: Apache-2.0
// A plane at a time in shared memory, the columns of the block upwards.
__global__ void laplace(const double* __restrict__ u, double* __restrict__ v, int nx, int ny, int nz) {
  __shared__ double plane[10][34];
  const int i = blockIdx.x * 32 + threadIdx.x + 1;
  const int j = blockIdx.y * 8 + threadIdx.y + 1;
  const int tx = threadIdx.x + 1;
  const int ty = threadIdx.y + 1;
  for (int k = 1; k < nz - 1; ++k) {
    const int c = (k * ny + j) * nx + i;
    plane[ty][tx] = u[c];
    if (threadIdx.x == 0) plane[ty][0] = u[c - 1];
    if (threadIdx.x == 31) plane[ty][33] = u[c + 1];
    if (threadIdx.y == 0) plane[0][tx] = u[c - nx];
    if (threadIdx.y == 7) plane[9][tx] = u[c + nx];
    __syncthreads();
    v[c] = plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] + u[c - nx * ny] +
           u[c + nx * ny] - 6.0 * plane[ty][tx];
    __syncthreads();
  }
}
