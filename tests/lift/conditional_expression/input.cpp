// SPDX-License-Identifier: Apache-2.0
// Upwind advection; the side is chosen by ?:.
void advect(const double* __restrict__ q, const double* __restrict__ wind, double* __restrict__ out, int nx, int ny,
            double c) {
  for (int j = 0; j < ny; ++j)
    for (int i = 1; i < nx - 1; ++i) {
      const int p = j * nx + i;
      const double slope = wind[p] > 0.0 ? q[p] - q[p - 1] : q[p + 1] - q[p];
      out[p] = q[p] - c * wind[p] * slope;
    }
}
