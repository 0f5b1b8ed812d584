// SPDX-License-Identifier: Apache-2.0
// Solid cells are left out by continue.
void decay(double* __restrict__ c, const unsigned char* __restrict__ solid, int n, double rate) {
  for (int i = 0; i < n; ++i) {
    if (solid[i]) continue;
    double old = c[i];
    c[i] = old - rate * old;
  }
}
