// SPDX-License-Identifier: Apache-2.0
// Refused: the product with a matrix in compressed rows; the inner bounds are loaded.
void product(const int* __restrict__ row, const int* __restrict__ column, const double* __restrict__ value,
             const double* __restrict__ x, double* __restrict__ y, int n) {
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int e = row[i]; e < row[i + 1]; ++e) sum += value[e] * x[column[e]];
    y[i] = sum;
  }
}
