// SPDX-License-Identifier: Apache-2.0
// Distances along each axis, a map of the ground, and levels that are read above and below.
void diffuse(const double* __restrict__ u, double* __restrict__ v, const double* __restrict__ rdx,
             const double* __restrict__ rdz, const float* __restrict__ roughness, int nx, int ny, int nz, double dt) {
  for (int k = 1; k < nz - 1; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 1; i < nx - 1; ++i) {
        const long c = (k * ny + j) * (long)nx + i;
        const double across = rdx[i] * (u[c + 1] - u[c]) - rdx[i - 1] * (u[c] - u[c - 1]);
        const double up = rdz[k + 1] * (u[c + nx * ny] - u[c]) - rdz[k] * (u[c] - u[c - nx * ny]);
        v[c] = u[c] + dt * (across + up) / (1.0 + roughness[j * nx + i]);
      }
}
