// SPDX-License-Identifier: Apache-2.0
// A single line that carries the value before it; the first one is read before the loop.
void differences(const double* __restrict__ a, double* __restrict__ d, int n) {
  double before = a[0];
  for (int i = 1; i < n; ++i) {
    double here = a[i];
    d[i] = here - before;
    before = here;
  }
}
