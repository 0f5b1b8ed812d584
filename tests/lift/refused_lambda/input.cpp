// SPDX-License-Identifier: Apache-2.0
// Refused: the index is a lambda.
void copy(const double* __restrict__ a, double* __restrict__ b, int nx, int ny) {
  auto at = [nx](int i, int j) { return i + nx * j; };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) b[at(i, j)] = a[at(i, j)];
}
