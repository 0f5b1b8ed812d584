// SPDX-License-Identifier: Apache-2.0
// Refused: a loop that stops in the middle.
int first_negative(const double* a, int n) {
  int found = n;
  for (int i = 0; i < n; ++i) {
    if (a[i] < 0.0) {
      found = i;
      break;
    }
  }
  return found;
}
