// SPDX-License-Identifier: Apache-2.0
// Refused: the second pointer is the first one, moved by a distance that is known only at run time.
void slide(double* a, int n, int distance) {
  double* b = a + distance;
  for (int i = 0; i < n; ++i) b[i] = 0.5 * a[i];
}
