// SPDX-License-Identifier: Apache-2.0
// An array that is read against the direction of the loop.
void reverse(const double* __restrict__ a, double* __restrict__ b, int n) {
  for (int i = 0; i < n; ++i) b[i] = a[n - 1 - i];
}
