// SPDX-License-Identifier: Apache-2.0
// Refused: nothing says that the element that is read lies in another column than the one that is written.
void wrap(double* q, int nx, int ny, int gl) {
  for (int j = 0; j < ny; ++j) q[j * nx] = q[j * nx + gl];
}
