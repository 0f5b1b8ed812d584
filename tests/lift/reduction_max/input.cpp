// SPDX-License-Identifier: Apache-2.0
// The largest change, by a comparison.
void largest_change(const double* a, const double* b, int nx, int ny, double* largest) {
  double error = 0.0;
  for (int j = 1; j < ny - 1; ++j)
    for (int i = 1; i < nx - 1; ++i) {
      double d = a[i + nx * j] - b[i + nx * j];
      if (d < 0.0) d = -d;
      if (d > error) error = d;
    }
  *largest = error;
}
