// SPDX-License-Identifier: Apache-2.0
// Diffusion with strides given as arguments and gl ghost layers in front of the interior.
void diffuse(const double* __restrict__ u, double* __restrict__ v, int nx, int ny, int sx, int sy, int gl,
             double alpha) {
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const int c = (i + gl) * sx + (j + gl) * sy;
      v[c] = u[c] + alpha * (u[c + sx] + u[c - sx] + u[c + sy] + u[c - sy] - 4.0 * u[c]);
    }
  }
}
