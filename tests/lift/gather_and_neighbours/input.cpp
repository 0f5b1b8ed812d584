// SPDX-License-Identifier: Apache-2.0
// One array read at its neighbours and through an index.
void mix(const double* __restrict__ u, double* __restrict__ v, const int* __restrict__ index, int n) {
  for (int i = 1; i < n - 1; ++i) v[i] = u[i + 1] - u[i - 1] + u[1 + index[i]];
}
