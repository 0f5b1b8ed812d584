// SPDX-License-Identifier: Apache-2.0
// Loops with <= on both axes, Fortran-like bounds from an argument list.
void update(double* __restrict__ t, const double* __restrict__ tend, int its, int ite, int jts, int jte, int ims,
            int jms, int stride, double dt) {
  for (int j = jts; j <= jte; ++j)
    for (int i = its; i <= ite; ++i) {
      t[(i - ims) + (j - jms) * stride] += dt * tend[(i - ims) + (j - jms) * stride];
    }
}
