// SPDX-License-Identifier: Apache-2.0
// Values of the loop counter and of an extent, converted to double.
void ramp(double* __restrict__ z, int n, double length) {
  for (int i = 0; i < n; ++i) z[i] = length * (i + 0.5) / n;
}
