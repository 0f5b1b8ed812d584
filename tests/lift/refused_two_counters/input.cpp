// SPDX-License-Identifier: Apache-2.0
// Refused: two counters in one loop.
void reverse(const double* __restrict__ a, double* __restrict__ b, int n) {
  for (int i = 0, j = n - 1; i < n; ++i, --j) b[i] = a[j];
}
