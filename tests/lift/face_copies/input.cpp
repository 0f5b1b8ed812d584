// SPDX-License-Identifier: Apache-2.0
// The first and the last element of each row, from those at the other end: neither row length nor faces are numbers.
void wrap(double* q, int nx, int ny) {
  for (int j = 0; j < ny; ++j) {
    q[j * nx] = q[j * nx + nx - 2];
    q[j * nx + nx - 1] = q[j * nx + 1];
  }
}
