// SPDX-License-Identifier: Apache-2.0
// Refused: goto.
void clip(double* a, int n) {
  for (int i = 0; i < n; ++i) {
    if (a[i] < 0.0) goto next;
    a[i] = 0.0;
  next:;
  }
}
