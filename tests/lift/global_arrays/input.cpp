// SPDX-License-Identifier: Apache-2.0
// Arrays that are global, as in benchmarks of old.
static const int NX = 12, NY = 9;
double u[NY][NX], v[NY][NX];
void relax(double omega) {
  for (int j = 1; j < NY - 1; ++j)
    for (int i = 1; i < NX - 1; ++i) v[j][i] = u[j][i] + omega * (u[j][i + 1] - 2.0 * u[j][i] + u[j][i - 1]);
}
