// SPDX-License-Identifier: Apache-2.0
// Refused: a pointer that moves on.
void negate(double* a, int n) {
  double* p = a;
  for (int i = 0; i < n; ++i) *p++ = -a[i];
}
