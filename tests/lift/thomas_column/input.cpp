// SPDX-License-Identifier: Apache-2.0
// Thomas algorithm in each column; the first level before the loop, substitution downwards.
void thomas(const double* __restrict__ a, const double* __restrict__ b, const double* __restrict__ c,
            const double* __restrict__ d, double* __restrict__ cp, double* __restrict__ x, int nx, int ny, int nz) {
  const int level = nx * ny;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int s = i + j * nx;
      cp[s] = c[s] / b[s];
      x[s] = d[s] / b[s];
      for (int k = 1; k < nz; ++k) {
        const int p = s + k * level;
        const double w = 1.0 / (b[p] - a[p] * cp[p - level]);
        cp[p] = c[p] * w;
        x[p] = (d[p] - a[p] * x[p - level]) * w;
      }
      for (int k = nz - 2; k >= 0; --k) {
        const int p = s + k * level;
        x[p] = x[p] - cp[p] * x[p + level];
      }
    }
}
