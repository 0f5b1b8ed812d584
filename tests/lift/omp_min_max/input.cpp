// SPDX-License-Identifier: Apache-2.0
// Clauses for a minimum and a maximum.
#include <algorithm>
#include <cmath>
void range(const double* __restrict__ a, int n, double* low, double* high) {
  double least = INFINITY, most = -INFINITY;
#pragma omp parallel for reduction(min : least) reduction(max : most)
  for (int i = 0; i < n; ++i) {
    least = std::min(least, a[i]);
    most = a[i] > most ? a[i] : most;
  }
  *low = least;
  *high = most;
}
