// SPDX-License-Identifier: Apache-2.0
#include "weather.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "constants.hpp"

namespace front {
namespace {

constexpr double tau = 2 * std::numbers::pi;
constexpr double height_of_ascent = 11000, cell_spacing = 52000; // m: of the circulation, of cells along it
constexpr double patch_x = 90000, patch_y = 70000, patch_depth = 2000, patchiness = 0.12;

} // namespace

Weather::Weather(const Options& options, const Levels& levels, std::vector<std::vector<float>> start)
    : levels_(levels), start_(std::move(start)),
      length_(options.spacing * static_cast<double>(options.size[0])),
      breadth_(options.spacing * static_cast<double>(options.size[1])), width_(3 * options.spacing),
      speed_(options.wind ? 8 : 0), ascent_(options.ascent), moves_(options.wind) {
  require_levels(levels_);
}

double Weather::patch(int level) const {
  const auto k = static_cast<std::size_t>(level);
  return patchiness * levels_.vapour[k] * std::exp(-levels_.height[k] / patch_depth);
}

std::array<double, 2> Weather::waves() {
  return {tau / patch_x, tau / patch_y};
}

double Weather::place(double y) const {
  const double s = y / breadth_ - 0.5;
  return length_ * (0.22 + 0.45 * s * s - 0.10 * s);
}

double Weather::strength(double y) const {
  const double fades = std::sin(std::numbers::pi * y / breadth_);
  return fades *
         (0.6 + 0.3 * std::cos(tau * y / cell_spacing) + 0.1 * std::cos(tau * y / (0.37 * cell_spacing)));
}

double Weather::ascent(int face) const {
  const auto k = static_cast<std::size_t>(face);
  const double z = levels_.face_height[k];
  if (face == 0 || face == levels_.count() || z >= height_of_ascent) return 0;
  const double density = (levels_.density[k - 1] + levels_.density[k]) / 2;
  return ascent_ * density * gravity * width_ * std::sin(std::numbers::pi * z / height_of_ascent);
}

std::array<double, 2> Weather::wind(int level) const {
  const auto k = static_cast<std::size_t>(level);
  if (!moves_) return {0, 0};
  return {levels_.u[k], levels_.v[k]};
}

} // namespace front
