// SPDX-License-Identifier: Apache-2.0
// Red-black Gauss-Seidel: the colour by where the inner loop starts, step two.
void gauss_seidel(double* __restrict__ p, const double* __restrict__ rhs, int nx, int ny, double h2, int colour) {
  for (int j = 1; j < ny - 1; ++j) {
    for (int i = 1 + (j + colour) % 2; i < nx - 1; i += 2) {
      int c = i + j * nx;
      p[c] = 0.25 * (p[c - 1] + p[c + 1] + p[c - nx] + p[c + nx] - h2 * rhs[c]);
    }
  }
}
