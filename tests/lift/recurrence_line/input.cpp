// SPDX-License-Identifier: Apache-2.0
// A first-order recurrence through memory along one line.
void filter(double* __restrict__ y, const double* __restrict__ x, int n, double a) {
  for (int i = 1; i < n; ++i) y[i] = a * y[i - 1] + (1.0 - a) * x[i];
}
