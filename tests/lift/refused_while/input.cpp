// SPDX-License-Identifier: Apache-2.0
// Refused: a while loop.
void halve(double* a, int n) {
  int i = 0;
  while (i < n) {
    a[i] *= 0.5;
    ++i;
  }
}
