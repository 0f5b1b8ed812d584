// SPDX-License-Identifier: Apache-2.0
// Loops that count down: with > and with >=.
void scale(double* __restrict__ a, const double* __restrict__ b, int nx, int ny, double s) {
  for (int j = ny - 1; j >= 0; --j)
    for (int i = nx; i > 0; i--) a[(i - 1) + j * nx] = s * b[(i - 1) + j * nx];
}
