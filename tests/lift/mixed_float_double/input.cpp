// SPDX-License-Identifier: Apache-2.0
// A product of floats is rounded to float before it meets a double.
void accumulate(const float* __restrict__ a, const float* __restrict__ b, double* __restrict__ c, int n) {
  for (int i = 0; i < n; ++i) c[i] = c[i] + a[i] * b[i];
}
