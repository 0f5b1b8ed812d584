// SPDX-License-Identifier: Apache-2.0
// Weights at fixed places of an array.
void filter(const float* __restrict__ a, float* __restrict__ b, const float* __restrict__ w, int nx, int ny) {
  for (int j = 0; j < ny; ++j)
    for (int i = 2; i < nx - 2; ++i) {
      float sum = w[0] * a[i + j * nx];
      for (int d = 1; d <= 2; ++d) sum += w[d] * (a[i - d + j * nx] + a[i + d + j * nx]);
      b[i + j * nx] = sum;
    }
}
