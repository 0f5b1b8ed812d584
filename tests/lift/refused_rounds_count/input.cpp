// SPDX-License-Identifier: Apache-2.0
// Refused: a loop with two conditions of which the body knows its number.
void shrink(const double* __restrict__ u, double* __restrict__ v, int n) {
  for (int i = 0; i < n; ++i) {
    double guess = u[i];
    for (int k = 0; k < 9 && guess > 1; ++k) {
      guess = guess / (k + 1);
    }
    v[i] = guess;
  }
}
