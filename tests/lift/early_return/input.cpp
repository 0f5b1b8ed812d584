// SPDX-License-Identifier: Apache-2.0
// Nothing is done where a switch argument says so.
void nudge(double* __restrict__ t, const double* __restrict__ target, int n, double weight, bool active) {
  if (!active) return;
  for (int i = 0; i < n; ++i) t[i] = t[i] + weight * (target[i] - t[i]);
}
