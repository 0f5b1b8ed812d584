// SPDX-License-Identifier: Apache-2.0
// Refused: the inner loop begins at the outer counter: not a box.
void upper(double* a, const double* b, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) a[j * n + i] = b[j * n + i];
}
