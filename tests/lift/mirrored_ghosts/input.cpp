// SPDX-License-Identifier: Apache-2.0
// Ghost layers on both sides of a wall: one array, read in one direction and written in the other.
void ghosts_below(double* t, int nx, int ny, int gl) {
  for (int g = 0; g < gl; ++g)
    for (int i = 0; i < nx; ++i) t[(3 - g) * nx + i] = -t[(4 + g) * nx + i];
}

void ghosts_right(double* t, int nx, int ny, int gl) {
  for (int j = 0; j < ny; ++j)
    for (int g = 0; g < gl; ++g) t[j * (nx + 2 * gl) + nx + gl + g] = t[j * (nx + 2 * gl) + nx + gl - 1 - g];
}
