// SPDX-License-Identifier: Apache-2.0
// Three components, one array behind the other.
void kinetic(const double* __restrict__ u, double* __restrict__ e, int nx, int ny) {
  const int size = nx * ny;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      int c = i + j * nx;
      e[c] = 0.5 * (u[c] * u[c] + u[c + size] * u[c + size] + u[c + 2 * size] * u[c + 2 * size]);
    }
}
