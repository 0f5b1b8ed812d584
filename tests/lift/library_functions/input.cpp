// SPDX-License-Identifier: Apache-2.0
// Functions of <cmath>: a square root, an exponential and a power of real exponent.
#include <math.h>
void saturation(const double* __restrict__ t, const double* __restrict__ p, double* __restrict__ q, int n) {
  for (int i = 0; i < n; ++i) {
    double es = 611.2 * exp(17.67 * (t[i] - 273.15) / (t[i] - 29.65));
    q[i] = sqrt(0.622 * es / (p[i] - es)) * pow(p[i] / 1.0e5, 0.2857);
  }
}
