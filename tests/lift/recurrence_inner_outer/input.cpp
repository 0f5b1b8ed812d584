// SPDX-License-Identifier: Apache-2.0
// A recurrence over the outer loop: hydrostatic pressure from the top of each column, k outermost.
void hydrostatic(double* __restrict__ p, const double* __restrict__ rho, const double* __restrict__ dz, int nx, int nz,
                 double g) {
  for (int k = nz - 2; k >= 0; --k)
    for (int i = 0; i < nx; ++i)
      p[k * nx + i] = p[(k + 1) * nx + i] + g * 0.5 * (rho[k * nx + i] + rho[(k + 1) * nx + i]) * dz[k * nx + i];
}
