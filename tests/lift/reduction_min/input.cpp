// SPDX-License-Identifier: Apache-2.0
// The smallest time step, by std::min.
#include <algorithm>
void time_step(const double* speed, const double* width, int n, double* result) {
  double dt = 1e30;
  for (int i = 0; i < n; ++i) dt = std::min(dt, width[i] / speed[i]);
  *result = dt;
}
