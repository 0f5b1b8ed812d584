// SPDX-License-Identifier: Apache-2.0
// Indices of type size_t, bounds of type int.
#include <stddef.h>
void shift(const float* __restrict__ a, float* __restrict__ b, int nx, int ny) {
  for (size_t j = 0; j < (size_t)ny; ++j)
    for (size_t i = 1; i < (size_t)nx; ++i) b[j * (size_t)nx + i] = a[j * (size_t)nx + i - 1];
}
