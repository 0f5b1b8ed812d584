// SPDX-License-Identifier: Apache-2.0
// A loop as it stands in many codes: a tracer is carried by the wind, upwind, with one layer of ghost cells.
#include "legacy.hpp"

void transport(const double* q, const double* u, const double* v, double* q_new, int nx, int ny, double c) {
  for (int j = 1; j <= ny; j++) {
    for (int i = 1; i <= nx; i++) {
      const int k = i + (nx + 2) * j;
      const double dx = u[k] > 0 ? q[k] - q[k - 1] : q[k + 1] - q[k];
      const double dy = v[k] > 0 ? q[k] - q[k - (nx + 2)] : q[k + (nx + 2)] - q[k];
      q_new[k] = q[k] - c * (u[k] * dx + v[k] * dy);
    }
  }
}
