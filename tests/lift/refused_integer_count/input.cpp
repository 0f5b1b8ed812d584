// SPDX-License-Identifier: Apache-2.0
// Refused: a sum of integers.
int cells(const int* __restrict__ flag, int n) {
  int count = 0;
  for (int i = 0; i < n; ++i)
    if (flag[i] == 0) ++count;
  return count;
}
