// SPDX-License-Identifier: Apache-2.0
// Constants of a long table, and of a place that an argument gives: the same for all cells.
void polynomial(const double* __restrict__ c, const double* __restrict__ d, double* __restrict__ v, int n, int gl) {
  for (int i = 0; i < n; ++i) v[i] = c[40] * v[i] + c[3] + d[gl + 1] * d[gl - 1];
}
