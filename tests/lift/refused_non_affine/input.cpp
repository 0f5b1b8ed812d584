// SPDX-License-Identifier: Apache-2.0
// Refused: a subscript that is no polynomial of first degree in the counters.
void triangle(double* a, const double* b, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) a[j * j + i] = b[j * n + i];
}
