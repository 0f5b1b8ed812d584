// SPDX-License-Identifier: Apache-2.0
// Sedimentation from the top: the flux of the cell above is carried in a scalar.
void sediment(float* __restrict__ q, const float* __restrict__ fall, int nx, int nz, float dt_over_dz) {
  for (int i = 0; i < nx; ++i) {
    float above = 0.0f;
    for (int k = nz - 1; k >= 0; --k) {
      float flux = q[i + k * nx] * fall[i + k * nx];
      q[i + k * nx] += dt_over_dz * (above - flux);
      above = flux;
    }
  }
}
