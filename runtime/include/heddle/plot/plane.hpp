// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLOT_PLANE_HPP
#define HEDDLE_PLOT_PLANE_HPP

#include <cstdint>
#include <vector>

namespace heddle::plot {

/// A point or a vector of the plane.
struct Vec2 {
  double x = 0;
  double y = 0;
};

using Polyline = std::vector<Vec2>;

/// Closed interval of a quantity or of an axis.
struct Range {
  double lower = 0;
  double upper = 1;

  [[nodiscard]] double fraction(double value) const { return (value - lower) / (upper - lower); }
};

/// Values on a uniform grid of points: point (i, j) lies at (x0 + i dx, y0 + j dy), its value is values[i +
/// nx j]. NaN marks points without a value.
struct Plane {
  std::int64_t nx = 0;
  std::int64_t ny = 0;
  double x0 = 0;
  double y0 = 0;
  double dx = 1;
  double dy = 1;
  std::vector<double> values;

  [[nodiscard]] double at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i + nx * j)];
  }
  [[nodiscard]] double& at(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(i + nx * j)];
  }

  /// Bilinear; constant beyond the outermost points; NaN where a point that counts has none.
  [[nodiscard]] double linear(double x, double y) const;
  /// Catmull-Rom spline, once continuously differentiable; constant beyond the outermost points.
  [[nodiscard]] double cubic(double x, double y) const;

  [[nodiscard]] Range x_range() const { return {x0, x0 + static_cast<double>(nx - 1) * dx}; }
  [[nodiscard]] Range y_range() const { return {y0, y0 + static_cast<double>(ny - 1) * dy}; }
};

/// The range of the values that are numbers; {0, 1} where there are none.
[[nodiscard]] Range range_of(const Plane& plane);

} // namespace heddle::plot

#endif
