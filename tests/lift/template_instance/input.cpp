// SPDX-License-Identifier: Apache-2.0
// A template with a type and a radius, as instantiated.
template <class Real, int R>
void boxcar(const Real* __restrict__ a, Real* __restrict__ b, int n) {
  for (int i = R; i < n - R; ++i) {
    Real sum = 0;
    for (int d = -R; d <= R; ++d) sum += a[i + d];
    b[i] = sum / Real(2 * R + 1);
  }
}
template void boxcar<float, 1>(const float*, float*, int);
template void boxcar<double, 2>(const double*, double*, int);
