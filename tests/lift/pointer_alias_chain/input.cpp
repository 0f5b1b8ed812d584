// SPDX-License-Identifier: Apache-2.0
// A pointer to the first interior cell, made of a pointer that is made of the argument.
void centred_gradient(const double* __restrict__ p, double* __restrict__ gx, double* __restrict__ gy, int nx, int ny,
                      double rdx, double rdy) {
  const double* first = p + 1;
  const double* origin = first + nx;
  double* gx0 = gx + nx + 1;
  double* gy0 = &gy[nx + 1];
  for (int j = 0; j < ny - 2; ++j)
    for (int i = 0; i < nx - 2; ++i) {
      gx0[j * nx + i] = 0.5 * rdx * (origin[j * nx + i + 1] - origin[j * nx + i - 1]);
      gy0[j * nx + i] = 0.5 * rdy * (origin[(j + 1) * nx + i] - origin[(j - 1) * nx + i]);
    }
}
