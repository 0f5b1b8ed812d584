// SPDX-License-Identifier: Apache-2.0
// Refused: a loop whose counter is halved.
void strides(double* a, int n) {
  for (int s = n; s > 0; s >>= 1) a[s] = 0.0;
}
