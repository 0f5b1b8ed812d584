// SPDX-License-Identifier: Apache-2.0
// Four colours of a nine-point relaxation, by the remainders of i and j.
void relax(double* __restrict__ p, const double* __restrict__ rhs, int nx, int ny, int ci, int cj) {
  for (int j = 1; j < ny - 1; ++j)
    for (int i = 1; i < nx - 1; ++i) {
      if (i % 2 == ci && j % 2 == cj) {
        int c = i + j * nx;
        p[c] = (p[c - 1] + p[c + 1] + p[c - nx] + p[c + nx] + p[c - nx - 1] + p[c - nx + 1] + p[c + nx - 1] +
                p[c + nx + 1] - rhs[c]) *
               0.125;
      }
    }
}
