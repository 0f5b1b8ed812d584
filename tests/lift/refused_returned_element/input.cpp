// SPDX-License-Identifier: Apache-2.0
// Refused: where the loop stopped is returned, which no cell computes.
int first_solid(const int* flag, int n) {
  int found = -1;
  for (int i = 0; i < n; ++i)
    if (flag[i] == 1) found = i;
  return found;
}
