// SPDX-License-Identifier: Apache-2.0
// A sum with an OpenMP reduction clause; the result goes through a pointer.
void energy(const double* u, const double* v, int n, double* total) {
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += 0.5 * (u[i] * u[i] + v[i] * v[i]);
  *total = sum;
}
