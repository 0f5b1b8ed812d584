// SPDX-License-Identifier: Apache-2.0
// A mask of truth values, a logical expression with its short cut, and a sign.
void limit(const bool* __restrict__ wet, const double* __restrict__ h, double* __restrict__ u, int n, double h_min) {
  for (int i = 0; i < n; ++i)
    if (!wet[i] || h[i] < h_min) u[i] = 0.0; else u[i] = u[i] / h[i];
}
