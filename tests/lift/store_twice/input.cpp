// SPDX-License-Identifier: Apache-2.0
// An element is set to zero and then added to, as legacy code likes it.
void laplacian(const double* __restrict__ u, double* __restrict__ r, int n) {
  for (int i = 1; i < n - 1; ++i) {
    r[i] = 0.0;
    r[i] += u[i - 1] + u[i + 1];
    r[i] -= 2.0 * u[i];
  }
}
