// SPDX-License-Identifier: Apache-2.0
// A stencil on arrays of fixed size, nested subscripts.
constexpr int n = 64;
void seidel_split(double a[n][n], double b[n][n]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      b[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                 a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
                9.0;
}
