/* SPDX-License-Identifier: Apache-2.0 */
/* Refused: the rows keep the length that nx had when their type was named. */
void fill(double* from, int nx, int ny) {
  double(*a)[nx] = (double(*)[nx])from;
  nx = nx - 1;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < 3; ++i) a[j][i] = 0;
}
