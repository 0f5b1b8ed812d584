// SPDX-License-Identifier: Apache-2.0
// A norm, returned: the root of a sum is taken after the loop.
#include <cmath>
double norm(const double* __restrict__ r, int nx, int ny) {
  double sum = 0.0;
#pragma omp parallel for collapse(2) reduction(+ : sum)
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) sum += r[i + nx * j] * r[i + nx * j];
  return std::sqrt(sum / (nx * ny));
}
