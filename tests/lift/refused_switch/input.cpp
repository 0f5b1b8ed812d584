// SPDX-License-Identifier: Apache-2.0
// Refused: a switch.
void scheme(double* a, const int* kind, int n) {
  for (int i = 0; i < n; ++i) {
    switch (kind[i]) {
      case 0:
        a[i] = 0.0;
        break;
      default:
        a[i] += 1.0;
    }
  }
}
