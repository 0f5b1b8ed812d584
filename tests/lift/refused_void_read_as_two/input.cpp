// SPDX-License-Identifier: Apache-2.0
// Refused: one memory, read as numbers of two types.
void mixed(void* memory, int n) {
  double* wide = (double*)memory;
  float* narrow = (float*)memory;
  for (int i = 0; i < n; ++i) wide[i] = narrow[i];
}
