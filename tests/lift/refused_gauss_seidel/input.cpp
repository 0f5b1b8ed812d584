// SPDX-License-Identifier: Apache-2.0
// Refused: each cell reads what the cells before it have just written, along two axes.
void seidel(double* __restrict__ p, int nx, int ny) {
  for (int j = 1; j < ny - 1; ++j)
    for (int i = 1; i < nx - 1; ++i)
      p[i + j * nx] = 0.25 * (p[i - 1 + j * nx] + p[i + 1 + j * nx] + p[i + (j - 1) * nx] + p[i + (j + 1) * nx]);
}
