// SPDX-License-Identifier: Apache-2.0
// Refused: volatile memory.
void poll(volatile double* a, int n) {
  for (int i = 0; i < n; ++i) a[i] = a[i] + 1.0;
}
