// SPDX-License-Identifier: Apache-2.0
// Index and flux come from inline functions.
static inline int at(int i, int j, int nx) { return i + j * nx; }
static inline double upwind(double left, double right, double wind) {
  if (wind > 0.0) return wind * left;
  return wind * right;
}
void fluxes(const double* __restrict__ q, const double* __restrict__ u, double* __restrict__ f, int nx, int ny) {
  for (int j = 0; j < ny; ++j)
    for (int i = 1; i < nx; ++i) f[at(i, j, nx)] = upwind(q[at(i - 1, j, nx)], q[at(i, j, nx)], u[at(i, j, nx)]);
}
