// SPDX-License-Identifier: Apache-2.0
// A guard with a flag array: only air cells are updated.
void divergence(const float* __restrict__ u, const float* __restrict__ v, const int* __restrict__ flag,
                float* __restrict__ r, int nx, int ny, float rdx, float rdy) {
  for (int j = 0; j < ny - 1; ++j)
    for (int i = 0; i < nx - 1; ++i) {
      int cell = i + j * (nx - 1);
      int face = i + j * nx;
      if (flag[cell] == 1) {
        r[cell] = -2.0f * ((u[face + 1] - u[face]) * rdx + (v[face + nx] - v[face]) * rdy);
      }
    }
}
