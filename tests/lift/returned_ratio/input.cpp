// SPDX-License-Identifier: Apache-2.0
// Two sums in two loops, and their ratio: a step of a gradient method.
float step_length(const float* __restrict__ r, const float* __restrict__ p, const float* __restrict__ q, int n) {
  float above = 0.0f, below = 0.0f;
  for (int i = 0; i < n; ++i) above += r[i] * r[i];
  for (int i = 0; i < n; ++i) below += p[i] * q[i];
  return above / below;
}
