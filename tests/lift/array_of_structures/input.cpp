// SPDX-License-Identifier: Apache-2.0
// Three components of a cell side by side in memory.
void cross_gradient(const double* __restrict__ v, double* __restrict__ curl, int nx, int ny, double half_rdx) {
  for (int j = 1; j < ny - 1; ++j)
    for (int i = 1; i < nx - 1; ++i) {
      int c = 3 * (i + j * nx);
      curl[i + j * nx] = half_rdx * (v[c + 3 + 1] - v[c - 3 + 1] - v[c + 3 * nx] + v[c - 3 * nx]);
    }
}
