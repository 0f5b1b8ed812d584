// SPDX-License-Identifier: Apache-2.0
// Refused: a sum for each column, in memory.
void column_mass(const double* __restrict__ q, double* __restrict__ mass, int nx, int nz) {
  for (int k = 0; k < nz; ++k)
    for (int i = 0; i < nx; ++i) mass[i] += q[i + k * nx];
}
