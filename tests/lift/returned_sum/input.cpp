// SPDX-License-Identifier: Apache-2.0
// The result is returned instead of stored.
double total(const double* a, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum;
}
