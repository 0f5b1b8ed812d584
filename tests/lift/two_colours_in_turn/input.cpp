// SPDX-License-Identifier: Apache-2.0
// Both colours of a relaxation, one after the other, in one function.
void relax(double* __restrict__ p, const double* __restrict__ rhs, int nx, int ny) {
  for (int colour = 0; colour < 2; ++colour)
    for (int j = 1; j < ny - 1; ++j)
      for (int i = 1; i < nx - 1; ++i) {
        if (((i + j) & 1) == colour) {
          int c = i + j * nx;
          p[c] = 0.25 * (p[c - 1] + p[c + 1] + p[c - nx] + p[c + nx] - rhs[c]);
        }
      }
}
