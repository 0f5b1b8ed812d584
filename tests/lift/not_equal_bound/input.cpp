// SPDX-License-Identifier: Apache-2.0
// A loop that ends with !=, start assigned before.
void square(const double* __restrict__ a, double* __restrict__ b, long n) {
  long i;
  for (i = 0; i != n; ++i) b[i] = a[i] * a[i];
}
