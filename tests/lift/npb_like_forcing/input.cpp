// SPDX-License-Identifier: Apache-2.0
// In the style of a multi-zone solver benchmark: components innermost, flux differences along one axis.
constexpr int points = 40;
void add_fluxes(const double u[points][points][points][5], double rhs[points][points][points][5], double tx2,
                double dssp) {
  for (int k = 2; k < points - 2; k++) {
    for (int j = 2; j < points - 2; j++) {
      for (int i = 2; i < points - 2; i++) {
        for (int m = 0; m < 5; m++) {
          rhs[k][j][i][m] = rhs[k][j][i][m] - tx2 * (u[k][j][i + 1][m] - u[k][j][i - 1][m]) -
                            dssp * (u[k][j][i - 2][m] - 4.0 * u[k][j][i - 1][m] + 6.0 * u[k][j][i][m] -
                                    4.0 * u[k][j][i + 1][m] + u[k][j][i + 2][m]);
        }
      }
    }
  }
}
