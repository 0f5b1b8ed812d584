// SPDX-License-Identifier: Apache-2.0
// Jacobi in two arrays with the largest residual in the same loop, OpenMP max.
#include <cmath>
void jacobi(const double* __restrict__ p, const double* __restrict__ rhs, double* __restrict__ next, int nx, int ny,
            double* residual) {
  double worst = 0.0;
#pragma omp parallel for reduction(max : worst)
  for (int j = 1; j < ny - 1; ++j)
    for (int i = 1; i < nx - 1; ++i) {
      int c = j * nx + i;
      double r = rhs[c] - (p[c - 1] + p[c + 1] + p[c - nx] + p[c + nx] - 4.0 * p[c]);
      next[c] = p[c] - 0.25 * r;
      if (std::abs(r) > worst) worst = std::abs(r);
    }
  *residual = worst;
}
