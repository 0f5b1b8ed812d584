// SPDX-License-Identifier: Apache-2.0
// Two arrays whose axes follow each other in different orders; one of them is read backwards, too.
void turn(const float* __restrict__ rows, float* __restrict__ columns, int nx, int ny) {
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) columns[i * ny + j] = rows[j * nx + i] + 0.5f * rows[(ny - 1 - j) * nx + i];
}
