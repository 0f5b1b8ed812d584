// SPDX-License-Identifier: Apache-2.0
// Names for elements: references, a pointer that is used once, a value by comma.
void update(double* __restrict__ q, const double* __restrict__ f, long n, double dt) {
  for (long i = 1; i < n - 1; ++i) {
    const double &left = f[i - 1], &right = f[i + 1];
    double& own = q[i];
    const double* const here = &f[i];
    own -= dt * (right - left) * here[0];
  }
}
