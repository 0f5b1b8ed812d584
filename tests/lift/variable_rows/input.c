/* SPDX-License-Identifier: Apache-2.0 */
/* C99: planes whose rows have lengths from arguments, behind pointers to void. */
void relax(void* from, void* to, int nx, int ny, int nz) {
  const double(*a)[ny][nx] = from;
  double(*b)[ny][nx] = to;
  int i, j, k;
  for (k = 1; k < nz - 1; k++)
    for (j = 1; j < ny - 1; j++)
      for (i = 0; i < nx; i++) b[k][j][i] = a[k][j - 1][i] * a[k][j + 1][i] - a[k - 1][j][i];
}

void scale(int nx, int ny, double rows[ny][nx + 1], double c) {
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) rows[j][i] *= c;
}
