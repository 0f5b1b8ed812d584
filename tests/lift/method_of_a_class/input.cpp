// SPDX-License-Identifier: Apache-2.0
// A method, with its arrays and extents in the object.
struct Grid {
  double* t;
  const double* k;
  int nx, ny;
  double dt;
  void step() {
    for (int j = 0; j < ny; ++j)
      for (int i = 1; i < nx - 1; ++i) t[i + nx * j] += dt * (k[i + 1 + nx * j] - k[i - 1 + nx * j]);
  }
};
void run(Grid& g) { g.step(); }
