// SPDX-License-Identifier: Apache-2.0
// Refused: a loop with two conditions that stores in each round.
void shrink(const double* __restrict__ u, double* __restrict__ v, int n) {
  for (int i = 0; i < n; ++i) {
    double guess = u[i];
    for (int k = 0; k < 9 && guess > 1; ++k) {
      guess = 0.5 * guess;
      v[i] = guess;
    }
    v[i] = guess;
  }
}
