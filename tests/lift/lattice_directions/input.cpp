// SPDX-License-Identifier: Apache-2.0
// A collision of nine populations, one array behind the other, in a loop over directions.
void relax(double* __restrict__ f, const double* __restrict__ density, long n, double omega) {
  for (long i = 0; i < n; ++i) {
    double rho = 0.0;
    for (int q = 0; q < 5; ++q) rho += f[q * n + i];
    for (int q = 0; q < 5; ++q) f[q * n + i] -= omega * (f[q * n + i] - 0.2 * rho) * density[i];
  }
}
