// SPDX-License-Identifier: Apache-2.0
// An edge difference: two gathers through two index arrays.
void edges(const double* __restrict__ phi, const int* __restrict__ from, const int* __restrict__ to,
           const double* __restrict__ weight, double* __restrict__ flux, int edge_count) {
  for (int e = 0; e < edge_count; ++e) {
    int a = from[e];
    int b = to[e];
    flux[e] = weight[e] * (phi[b] - phi[a]);
  }
}
