// SPDX-License-Identifier: Apache-2.0
// A sum carried along each row.
void integrate(const float* __restrict__ f, float* __restrict__ s, int nx, int ny, float dx) {
  for (int j = 0; j < ny; ++j) {
    float sum = 0.0f;
    for (int i = 0; i < nx; ++i) {
      sum += f[i + nx * j] * dx;
      s[i + nx * j] = sum;
    }
  }
}
