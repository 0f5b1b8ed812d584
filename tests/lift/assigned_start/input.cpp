// SPDX-License-Identifier: Apache-2.0
// Counters declared before their loops, as C and Fortran programmers write them; bounds on the left.
void smooth(const double* __restrict__ a, double* __restrict__ b, int nx, int ny) {
  int i, j;
  for (j = 1; ny - 1 > j; j++)
    for (i = nx - 2; 1 <= i; i -= 1) b[i + nx * j] = 0.5 * (a[i - 1 + nx * j] + a[i + 1 + nx * j]);
}
