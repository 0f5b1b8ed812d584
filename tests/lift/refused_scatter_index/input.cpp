// SPDX-License-Identifier: Apache-2.0
// A push through an index array: two entries may name one element, which nothing in the source excludes.
void push(double* __restrict__ u, const int* __restrict__ idx, const double* __restrict__ w, int n) {
  for (int i = 0; i < n; ++i) u[idx[i]] += w[i];
}
