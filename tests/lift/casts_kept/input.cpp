// SPDX-License-Identifier: Apache-2.0
// Casts and promotions: integers to floats, floats to doubles and back.
void mix(const int* __restrict__ raw, const float* __restrict__ a, double* __restrict__ b, float* __restrict__ c, int n) {
  for (int i = 0; i < n; ++i) {
    b[i] = raw[i] * 0.01 + a[i] * 2.0;
    c[i] = (float)(a[i] * 10.0 + raw[i]);
  }
}
