// SPDX-License-Identifier: Apache-2.0
// A template with a number and a type, used twice by name.
template <int Q, typename T>
void moments(const T* __restrict__ f, T* __restrict__ rho, long n) {
  for (long i = 0; i < n; ++i) {
    T sum = 0;
    for (int q = 0; q < Q; ++q) sum += f[q * n + i];
    rho[i] = sum;
  }
}
void use(const double* f, double* rho, long n) { moments<5>(f, rho, n); }
