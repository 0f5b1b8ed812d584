// SPDX-License-Identifier: Apache-2.0
// A forward sweep with both a carried scalar and a level below that is read from memory.
void upward(double* __restrict__ w, const double* __restrict__ a, int nx, int nz) {
  for (int i = 0; i < nx; ++i) {
    double mass = 0.0;
    for (int k = 1; k < nz; ++k) {
      mass = mass + a[k * nx + i];
      w[k * nx + i] = 0.5 * w[(k - 1) * nx + i] + mass;
    }
  }
}
