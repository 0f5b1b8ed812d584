// SPDX-License-Identifier: Apache-2.0
// A gather through an index array.
void pull(const double* __restrict__ u, const int* __restrict__ idx, const double* __restrict__ w,
          double* __restrict__ out, int n) {
  for (int i = 0; i < n; ++i) out[i] = w[i] * u[idx[i]];
}
