// SPDX-License-Identifier: Apache-2.0
// Parameters that are pointers to arrays; three dimensions, the last one five components of a cell.
void add_forcing(double (*u)[32][32][5], const double (*forcing)[32][32][5], double dt) {
  for (int k = 1; k < 31; k++)
    for (int j = 1; j < 31; j++)
      for (int i = 1; i < 31; i++)
        for (int m = 0; m < 5; m++) u[k][j][i][m] = u[k][j][i][m] + dt * forcing[k][j][i][m];
}
