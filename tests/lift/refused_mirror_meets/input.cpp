// SPDX-License-Identifier: Apache-2.0
// Refused: the layers that are read and those that are written meet in the first one.
void ghosts_below(double* t, int nx, int ny, int gl) {
  for (int g = 0; g < gl; ++g)
    for (int i = 0; i < nx; ++i) t[(3 - g) * nx + i] = -t[(3 + g) * nx + i];
}
