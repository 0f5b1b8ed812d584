// SPDX-License-Identifier: Apache-2.0
// Colours by a bit.
void sweep(double* __restrict__ p, const double* __restrict__ f, int nx, int ny, int colour) {
  for (int j = 1; j < ny - 1; ++j)
    for (int i = 1; i < nx - 1; ++i)
      if (((i + j) & 1) == colour)
        p[i + nx * j] = 0.25 * (p[i - 1 + nx * j] + p[i + 1 + nx * j] + p[i - nx + nx * j] + p[i + nx + nx * j] - f[i + nx * j]);
}
