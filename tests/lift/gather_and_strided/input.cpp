// SPDX-License-Identifier: Apache-2.0
// One array, read at every second element and at elements that another array names.
void collect(const double* __restrict__ u, const int* __restrict__ at, double* __restrict__ v, int n) {
  for (int i = 0; i < n; ++i) v[i] = u[2 * i] - u[at[i]];
}
