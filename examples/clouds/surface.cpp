// SPDX-License-Identifier: Apache-2.0
#include "surface.hpp"

#include <cmath>
#include <numbers>

#include "constants.hpp"

namespace clouds {
namespace {

constexpr double largest_zeta = 20;

double psi(double zeta) {
  if (zeta >= 0) return -5 * zeta;
  const double x = std::pow(1 - 16 * zeta, 0.25);
  return 2 * std::log((1 + x) / 2) + std::log((1 + x * x) / 2) - 2 * std::atan(x) + std::numbers::pi / 2;
}

} // namespace

double drag_ratio(double zeta, double height, double roughness) {
  return von_karman / (std::log(height / roughness) - psi(zeta) + psi(zeta * roughness / height));
}

std::vector<double> drag_table(double height, double roughness) {
  std::vector<double> table(drag_entries, 0);
  if (roughness <= 0) return table;
  for (int n = 0; n < drag_entries; ++n) {
    const double x = 2.0 * n / (drag_entries - 1) - 1;
    // F falls as zeta rises: -zeta (u_* / |U|)^3 at the two ends may not reach it.
    const double wanted = std::abs(x) < 1 ? x / (1 - std::abs(x)) : std::copysign(1e30, x);
    double low = -largest_zeta, high = largest_zeta;
    for (int round = 0; round < 100; ++round) {
      const double middle = (low + high) / 2;
      const double f = -middle * std::pow(drag_ratio(middle, height, roughness), 3);
      (f > wanted ? low : high) = middle;
    }
    table[static_cast<std::size_t>(n)] = drag_ratio((low + high) / 2, height, roughness);
  }
  return table;
}

} // namespace clouds
