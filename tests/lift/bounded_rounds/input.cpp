// SPDX-License-Identifier: Apache-2.0
// Newton's method in each cell, until it is content, and no longer than 50 rounds.
void root(const double* __restrict__ u, double* __restrict__ v, double* __restrict__ rounds, double eps,
          int nx, int ny) {
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const double t = u[i + nx * j];
      double guess = t > 1 ? t : 1, n = 0;
      for (int k = 0; k < 50 && guess * guess - t > eps; ++k) {
        const double ratio = t / guess;
        guess = 0.5 * (guess + ratio);
        n += 1;
      }
      v[i + nx * j] = guess;
      rounds[i + nx * j] = n;
    }
  }
}
