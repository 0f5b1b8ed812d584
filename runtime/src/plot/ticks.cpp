// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/ticks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "heddle/core/error.hpp"

namespace heddle::plot {

Ticks round_ticks(Range range, int count) {
  const double width = range.upper - range.lower;
  if (!(width > 0) || !std::isfinite(width) || count < 1)
    throw Error("round_ticks", "the range is empty or not finite", "give two different numbers");
  const double power = std::pow(10, std::floor(std::log10(width / count)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.5, 2.0, 1.0})
    if (width / (factor * power) <= count * 1.25) step = factor * power;
  int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  // 2.5 and 0.25 need one digit more than their power of ten.
  const double scaled = step * std::pow(10, digits);
  if (std::abs(scaled - std::round(scaled)) > 1e-6) ++digits;
  Ticks ticks;
  for (double n = std::ceil(range.lower / step - 1e-9); n * step <= range.upper + 1e-9 * width; ++n) {
    const double value = n == 0 ? 0.0 : n * step;
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    ticks.values.push_back(value);
    ticks.labels.emplace_back(text);
  }
  return ticks;
}

} // namespace heddle::plot
