// SPDX-License-Identifier: Apache-2.0
// In the style of a weather model: bounds from tile and memory extents, k in the middle, a flux difference.
#include <algorithm>
void rk_tendency(double* __restrict__ tend, const double* __restrict__ field, const double* __restrict__ ru,
                 const double* __restrict__ mu, int ims, int ime, int kms, int kme, int jms, int its, int ite, int kts,
                 int kte, int jts, int jte, double rdx) {
  const int ni = ime - ims + 1;
  const int nk = kme - kms + 1;
  for (int j = jts; j <= jte; j++) {
    for (int k = kts; k <= kte; k++) {
      for (int i = its; i <= ite; i++) {
        const int c = (i - ims) + ni * ((k - kms) + nk * (j - jms));
        const double east = 0.5 * ru[c + 1] * (field[c + 1] + field[c]);
        const double west = 0.5 * ru[c] * (field[c] + field[c - 1]);
        tend[c] = tend[c] - rdx * (east - west) * std::max(mu[c], 0.0);
      }
    }
  }
}
