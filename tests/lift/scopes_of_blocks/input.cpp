// SPDX-License-Identifier: Apache-2.0
// One name in two blocks: constant in the first, assigned in the second.
void limit(const double* __restrict__ a, double* __restrict__ b, double* __restrict__ c, int n) {
  for (int i = 0; i < n; ++i) {
    if (a[i] > 0) {
      const double value = 2 * a[i];
      b[i] = value * value;
    }
    {
      double value = a[i];
      if (value < 0.5) value = 0.5;
      c[i] = value;
    }
  }
}
