// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/relief.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::plot {
namespace {

constexpr double shadow_strength = 0.45;
constexpr double sun_diameter = 0.06; // radians; wider than the real one, for a soft edge

double hidden_sun(const Plane& h, std::int64_t i, std::int64_t j, const Sun& sun, double highest) {
  const double step = std::min(h.dx, h.dy);
  const double cx = std::cos(sun.azimuth);
  const double cy = std::sin(sun.azimuth);
  const double x = h.x0 + static_cast<double>(i) * h.dx;
  const double y = h.y0 + static_cast<double>(j) * h.dy;
  const double reach = (highest - h.at(i, j)) * sun.exaggeration / std::tan(sun.altitude - sun_diameter);
  double horizon = 0;
  for (double s = 1.5 * step; s < reach; s += step) {
    const double px = x + s * cx;
    const double py = y + s * cy;
    if (px < h.x0 || py < h.y0 || px > h.x_range().upper || py > h.y_range().upper) break;
    horizon = std::max(horizon, std::atan2((h.linear(px, py) - h.at(i, j)) * sun.exaggeration, s));
  }
  return std::clamp((horizon - sun.altitude) / sun_diameter + 0.5, 0.0, 1.0);
}

} // namespace

Plane hillshade(const Plane& heights, const Sun& sun) {
  Plane light = heights;
  const double highest = range_of(heights).upper;
  const double lx = std::cos(sun.altitude) * std::cos(sun.azimuth);
  const double ly = std::cos(sun.altitude) * std::sin(sun.azimuth);
  const double lz = std::sin(sun.altitude);
  for (std::int64_t j = 0; j < heights.ny; ++j)
    for (std::int64_t i = 0; i < heights.nx; ++i) {
      const std::int64_t w = std::max<std::int64_t>(i - 1, 0);
      const std::int64_t e = std::min(i + 1, heights.nx - 1);
      const std::int64_t s = std::max<std::int64_t>(j - 1, 0);
      const std::int64_t n = std::min(j + 1, heights.ny - 1);
      const double gx = sun.exaggeration * (heights.at(e, j) - heights.at(w, j)) /
                        (heights.dx * static_cast<double>(std::max<std::int64_t>(e - w, 1)));
      const double gy = sun.exaggeration * (heights.at(i, n) - heights.at(i, s)) /
                        (heights.dy * static_cast<double>(std::max<std::int64_t>(n - s, 1)));
      double brightness = std::max(0.0, (lz - gx * lx - gy * ly) / std::sqrt(1 + gx * gx + gy * gy));
      if (sun.shadows) brightness *= 1 - shadow_strength * hidden_sun(heights, i, j, sun, highest);
      light.at(i, j) = brightness;
    }
  return light;
}

} // namespace heddle::plot
