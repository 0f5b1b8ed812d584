// SPDX-License-Identifier: Apache-2.0
// Refused: a call of a function whose body is not visible.
double table(double t);
void react(double* c, const double* t, int n) {
  for (int i = 0; i < n; ++i) c[i] *= table(t[i]);
}
