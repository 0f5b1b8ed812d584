// SPDX-License-Identifier: Apache-2.0
// Neighbours across the border by a conditional expression.
void advect(const double* __restrict__ u, double* __restrict__ v, int n, double c) {
  for (int i = 0; i < n; ++i) {
    const int left = i == 0 ? n - 1 : i - 1;
    v[i] = u[i] - c * (u[i] - u[left]);
  }
}
