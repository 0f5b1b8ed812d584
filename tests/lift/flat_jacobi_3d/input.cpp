// SPDX-License-Identifier: Apache-2.0
// Seven-point Jacobi step, the flat index written out in every access.
void jacobi(const double* __restrict__ u, double* __restrict__ v, int nx, int ny, int nz, double c) {
  for (int k = 1; k < nz - 1; k++)
    for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++)
        v[i + nx * (j + ny * k)] = u[i + nx * (j + ny * k)] +
                                   c * (u[i + 1 + nx * (j + ny * k)] + u[i - 1 + nx * (j + ny * k)] +
                                        u[i + nx * (j + 1 + ny * k)] + u[i + nx * (j - 1 + ny * k)] +
                                        u[i + nx * (j + ny * (k + 1))] + u[i + nx * (j + ny * (k - 1))] -
                                        6.0 * u[i + nx * (j + ny * k)]);
}
