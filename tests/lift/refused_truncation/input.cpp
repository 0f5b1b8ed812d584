// SPDX-License-Identifier: Apache-2.0
// Refused: a number is cut off to an integer.
void digits(const float* __restrict__ a, float* __restrict__ b, int n) {
  for (int i = 0; i < n; ++i) b[i] = (float)(int)(a[i] * 10.0f) / 10;
}
