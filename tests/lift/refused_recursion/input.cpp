// SPDX-License-Identifier: Apache-2.0
// Refused: recursion.
static double power(double x, int n) { return n == 0 ? 1.0 : x * power(x, n - 1); }
void powers(double* a, int n) {
  for (int i = 0; i < n; ++i) a[i] = power(a[i], 3);
}
