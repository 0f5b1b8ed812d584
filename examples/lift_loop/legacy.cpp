// SPDX-License-Identifier: Apache-2.0
// Four loops as they stand in many codes: flat indices written out, int for everything, no restrict. Heddle
// lifts this file as it is.
#include "legacy.hpp"

// First-order upwind advection on a plane with nh ghost layers on every side.
void advect(const double* q, const double* u, const double* v, double* q_new, int nx, int ny, int nh,
            double cx, double cy) {
  const int row = nx + 2 * nh;
  for (int j = nh; j < ny + nh; j++) {
    for (int i = nh; i < nx + nh; i++) {
      const int c = j * row + i;
      double dx, dy;
      if (u[c] > 0.0)
        dx = q[c] - q[c - 1];
      else
        dx = q[c + 1] - q[c];
      if (v[c] > 0.0)
        dy = q[c] - q[c - row];
      else
        dy = q[c + row] - q[c];
      q_new[c] = q[c] - cx * u[c] * dx - cy * v[c] * dy;
    }
  }
}

// One colour of a red-black SOR sweep for a Poisson equation; solid cells keep their value.
void sor(double* p, const double* rhs, const int* solid, int nx, int ny, int nz, double omega, double h2,
         int colour) {
  for (int k = 1; k < nz - 1; k++)
    for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++) {
        if ((i + j + k) % 2 != colour) continue;
        const int c = i + nx * (j + ny * k);
        if (solid[c]) continue;
        const double sum =
            p[c - 1] + p[c + 1] + p[c - nx] + p[c + nx] + p[c - nx * ny] + p[c + nx * ny] - h2 * rhs[c];
        p[c] = (1.0 - omega) * p[c] + omega * sum / 6.0;
      }
}

// Implicit vertical diffusion: the Thomas algorithm in each column.
void diffuse_column(const double* a, const double* b, const double* c, const double* d, double* cp, double* x,
                    int nx, int ny, int nz) {
  const int level = nx * ny;
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      const int s = i + j * nx;
      cp[s] = c[s] / b[s];
      x[s] = d[s] / b[s];
      for (int k = 1; k < nz; k++) {
        const int m = s + k * level;
        const double w = 1.0 / (b[m] - a[m] * cp[m - level]);
        cp[m] = c[m] * w;
        x[m] = (d[m] - a[m] * x[m - level]) * w;
      }
      for (int k = nz - 2; k >= 0; k--) {
        const int m = s + k * level;
        x[m] = x[m] - cp[m] * x[m + level];
      }
    }
  }
}

// What each entry of a sparse list receives from its donor cell.
void receive(const double* flux, const int* donor, const double* area, double* out, int count) {
  for (int n = 0; n < count; n++) {
    const int from = donor[n];
    out[n] = area[n] * flux[from] + 0.5 * (1.0 - area[n]) * out[n];
  }
}
