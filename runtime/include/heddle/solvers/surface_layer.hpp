// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVERS_SURFACE_LAYER_HPP
#define HEDDLE_SOLVERS_SURFACE_LAYER_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"

namespace heddle {

/// The friction velocity u_* of the wind |U| in the lowest cell, over ground that gives a known flux: what
/// the kernel value `ratio` of heddle.atmosphere.large_eddies.surface takes, and the same numbers as its
/// function `table`.
///
/// u_*/|U| solves the profile of Monin and Obukhov with the functions of Paulson (1970) and Dyer (1974),
/// zeta = z/L, |zeta| <= 20, as a function of Fr = kappa z g F_v / (theta_v0 |U|^3). Entry n < 2048 belongs
/// to Fr = x^4 / per_warm, x = n/2047, entry 2048 + n to Fr = -(1 - (1 - x)^2) / per_cold.
struct SurfaceLayerTable {
  std::vector<double> ratio;
  double per_warm = 0;
  double per_cold = 0;
};

/// For the height (m) of the middle of the lowest cell, and the roughness length (m). Throws Error unless
/// height > roughness > 0.
[[nodiscard]] inline SurfaceLayerTable surface_layer_table(double height, double roughness,
                                                           double karman = 0.4) {
  if (!(height > roughness && roughness > 0)) {
    throw Error("surface_layer_table",
                "the lowest cell's middle, " + std::to_string(height) +
                    " m, is not above a roughness length of " + std::to_string(roughness) + " m",
                "use 0 < roughness < height");
  }
  constexpr double most = 20;
  constexpr int last = 2047;
  const auto psi = [](double zeta) {
    if (zeta >= 0) return -5 * zeta;
    const double x = std::sqrt(std::sqrt(1 - 16 * zeta));
    return 2 * std::log((1 + x) / 2) + std::log((1 + x * x) / 2) - 2 * std::atan(x) + std::numbers::pi / 2;
  };
  const double logarithm = std::log(height / roughness);
  const auto ratio = [&](double zeta) {
    return karman / (logarithm - psi(zeta) + psi(zeta * roughness / height));
  };
  const auto size = [&](double zeta) { return std::abs(zeta) * std::pow(ratio(zeta), 3); };
  // zeta between 0 and an end, whose |Fr| is this share of that at the end.
  const auto solved = [&](double share, double end) {
    double low = 0;
    double high = end;
    const double wanted = share * size(end);
    for (int i = 0; i < 64; ++i) {
      const double middle = (low + high) / 2;
      (size(middle) < wanted ? low : high) = middle;
    }
    return low;
  };
  const double coldest = std::min(most, logarithm / (10 * (1 - roughness / height))); // then |Fr| falls again
  SurfaceLayerTable table{.ratio = std::vector<double>(2 * (last + 1)),
                          .per_warm = 1 / size(-most),
                          .per_cold = 1 / size(coldest)};
  for (int n = 0; n <= last; ++n) {
    const auto place = static_cast<std::size_t>(n);
    const double x = static_cast<double>(n) / last;
    const double warm = n == last ? -most : solved(std::pow(x, 4), -most);
    const double cold = n == last ? coldest : solved(1 - (1 - x) * (1 - x), coldest);
    table.ratio[place] = ratio(warm);
    table.ratio[last + 1 + place] = ratio(cold);
  }
  return table;
}

} // namespace heddle

#endif
