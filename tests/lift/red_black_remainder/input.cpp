// SPDX-License-Identifier: Apache-2.0
// Red-black SOR: the colour by the remainder of i + j + k, solid cells left out.
void sor(float* __restrict__ lambda, const float* __restrict__ e, const float* __restrict__ f,
         const float* __restrict__ g, const float* __restrict__ h, const float* __restrict__ m,
         const float* __restrict__ n, const float* __restrict__ r, const int* __restrict__ flag, int nx, int ny, int nz,
         float omega, int colour) {
  for (int k = 1; k < nz - 2; ++k)
    for (int j = 1; j < ny - 2; ++j)
      for (int i = 1; i < nx - 2; ++i) {
        if ((i + j + k) % 2 != colour) continue;
        const int c = i + j * (nx - 1) + k * (nx - 1) * (ny - 1);
        if (flag[c] == 0 || flag[c] == 2) continue;
        const float sum = e[c] * lambda[c + 1] + f[c] * lambda[c - 1] + g[c] * lambda[c + (nx - 1)] +
                          h[c] * lambda[c - (nx - 1)] + m[c] * lambda[c + (nx - 1) * (ny - 1)] +
                          n[c] * lambda[c - (nx - 1) * (ny - 1)] - r[c];
        lambda[c] = omega / (e[c] + f[c] + g[c] + h[c] + m[c] + n[c]) * sum + (1.0f - omega) * lambda[c];
      }
}
