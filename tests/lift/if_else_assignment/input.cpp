// SPDX-License-Identifier: Apache-2.0
// A local value assigned in both branches of an if.
void limiter(const double* __restrict__ q, double* __restrict__ flux, int n) {
  for (int i = 1; i < n - 1; ++i) {
    double left = q[i] - q[i - 1];
    double right = q[i + 1] - q[i];
    double slope;
    if (left * right <= 0.0) {
      slope = 0.0;
    } else {
      slope = 2.0 * left * right / (left + right);
    }
    flux[i] = q[i] + 0.5 * slope;
  }
}
