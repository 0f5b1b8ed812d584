// SPDX-License-Identifier: Apache-2.0
// Prints what the two kernels make of the number 7.
#include "consumer.h"

#include <cstdint>
#include <cstdio>

int main() {
  const double in = 7.0;
  double scaled = 0.0, shifted = 0.0;
  const std::int64_t extent[3] = {1, 1, 1}, stride[3] = {1, 1, 1};
  if (consumer_scale_f64(&in, extent, stride, &scaled, extent, stride) != 0) return 1;
  if (consumer_shift_f64(&in, extent, stride, &shifted, extent, stride) != 0) return 1;
  std::printf("scale %g shift %g\n", scaled, shifted);
  return 0;
}
