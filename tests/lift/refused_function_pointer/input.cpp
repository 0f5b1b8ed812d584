// SPDX-License-Identifier: Apache-2.0
// Refused: a function pointer.
void apply(double* a, int n, double (*f)(double)) {
  for (int i = 0; i < n; ++i) a[i] = f(a[i]);
}
