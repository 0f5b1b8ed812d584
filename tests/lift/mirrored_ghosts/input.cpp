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

// Arguments that are called as coordinates are in a model.
void ghosts_left(double* t, int x, int y, int gl) {
  for (int j = 0; j < y; ++j)
    for (int g = 0; g < gl; ++g) t[j * (x + 2 * gl) + gl - 1 - g] = t[j * (x + 2 * gl) + gl + g];
}

// An unsigned index that leaves the array where there are more than two layers.
inline double& at(double* t, unsigned long stride, unsigned long i, unsigned long j) {
  return t[i + j * stride];
}
void ghosts_of_a_view(double* t, int nx, int gl) {
  for (int i = 0; i < nx; ++i)
    for (int g = 0; g < gl; ++g) at(t, nx, i, 1 - g) = at(t, nx, i, 2 + g);
}
