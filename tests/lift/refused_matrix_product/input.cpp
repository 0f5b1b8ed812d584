// SPDX-License-Identifier: Apache-2.0
// Refused: a sum along a third axis for each element; no statement of a model says that.
void gemm(double* __restrict__ c, const double* __restrict__ a, const double* __restrict__ b, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}
