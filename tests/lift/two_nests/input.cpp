// SPDX-License-Identifier: Apache-2.0
// Two loops one after the other: a velocity update and a field update in two kernels.
void leapfrog(double* __restrict__ p, double* __restrict__ u, int n, double a, double b) {
  for (int i = 0; i < n - 1; ++i) u[i] -= a * (p[i + 1] - p[i]);
  for (int i = 1; i < n - 1; ++i) p[i] -= b * (u[i] - u[i - 1]);
}
