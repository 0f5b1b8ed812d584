// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/plane.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace heddle::plot {
namespace {

struct Place {
  std::int64_t index;
  double rest;
};

Place locate(double coordinate, double start, double step, std::int64_t count) {
  const double position = std::clamp((coordinate - start) / step, 0.0, static_cast<double>(count - 1));
  const std::int64_t index =
      std::min(static_cast<std::int64_t>(position), std::max<std::int64_t>(count - 2, 0));
  return {index, position - static_cast<double>(index)};
}

std::array<double, 4> catmull_rom(double t) {
  return {t * (-0.5 + t * (1 - 0.5 * t)), 1 + t * t * (-2.5 + 1.5 * t), t * (0.5 + t * (2 - 1.5 * t)),
          t * t * (-0.5 + 0.5 * t)};
}

} // namespace

double Plane::linear(double x, double y) const {
  const Place u = locate(x, x0, dx, nx);
  const Place v = locate(y, y0, dy, ny);
  double sum = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const int right = corner & 1;
    const int up = corner >> 1;
    const double weight = (right == 1 ? u.rest : 1 - u.rest) * (up == 1 ? v.rest : 1 - v.rest);
    if (weight != 0) sum += weight * at(u.index + right, v.index + up);
  }
  return sum;
}

double Plane::cubic(double x, double y) const {
  const Place u = locate(x, x0, dx, nx);
  const Place v = locate(y, y0, dy, ny);
  const std::array<double, 4> wu = catmull_rom(u.rest);
  const std::array<double, 4> wv = catmull_rom(v.rest);
  double sum = 0;
  for (std::int64_t b = 0; b < 4; ++b)
    for (std::int64_t a = 0; a < 4; ++a) {
      const std::int64_t i = std::clamp<std::int64_t>(u.index + a - 1, 0, nx - 1);
      const std::int64_t j = std::clamp<std::int64_t>(v.index + b - 1, 0, ny - 1);
      const double weight = wu[static_cast<std::size_t>(a)] * wv[static_cast<std::size_t>(b)];
      if (weight != 0) sum += weight * at(i, j);
    }
  return sum;
}

Range range_of(const Plane& plane) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double value : plane.values)
    if (std::isfinite(value)) range = {std::min(range.lower, value), std::max(range.upper, value)};
  return range.lower <= range.upper ? range : Range{};
}

} // namespace heddle::plot
