// SPDX-License-Identifier: Apache-2.0
// A small two-dimensional view written by the user, with operator().
struct View {
  double* data;
  int pitch;
  double& operator()(int i, int j) const { return data[i + j * pitch]; }
};
void relax(View p, View rhs, View next, int nx, int ny, double h2) {
  for (int j = 1; j <= ny; ++j)
    for (int i = 1; i <= nx; ++i)
      next(i, j) = 0.25 * (p(i - 1, j) + p(i + 1, j) + p(i, j - 1) + p(i, j + 1) - h2 * rhs(i, j));
}
