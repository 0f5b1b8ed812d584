// SPDX-License-Identifier: Apache-2.0
// Indices by a macro, a named flag, and else-branches.
#define IX(i, j, k) ((i) + nx * ((j) + ny * (k)))
enum { FLUID = 0, SOLID = 1, INFLOW = 2 };
void walls(const int* __restrict__ type, const float* __restrict__ u, float* __restrict__ v, int nx, int ny, int nz, float u_in) {
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++)
      for (int i = 1; i < nx; i++) {
        if (type[IX(i, j, k)] == FLUID)
          v[IX(i, j, k)] = u[IX(i - 1, j, k)];
        else if (type[IX(i, j, k)] == INFLOW)
          v[IX(i, j, k)] = u_in;
        else
          v[IX(i, j, k)] = 0.0f;
      }
}
