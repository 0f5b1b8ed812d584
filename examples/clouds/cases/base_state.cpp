// SPDX-License-Identifier: Apache-2.0
#include "base_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "constants.hpp"
#include "heddle/core/error.hpp"

namespace clouds {
namespace {

double pressure_at(double exner) {
  return reference_pressure * std::pow(exner, heat_dry / gas_dry);
}

} // namespace

BaseState make_base_state(const Case& what, std::vector<double> heights) {
  const std::size_t n = heights.size();
  if (n < 6)
    throw heddle::Error("levels", std::to_string(n) + " levels are too few",
                        "use 6 or more: fluxes of order 5 need them");
  BaseState s;
  s.height = std::move(heights);
  s.face = {0};
  for (const double h : s.height) {
    if (!(h > 0))
      throw heddle::Error("levels", "a cell has the height " + std::to_string(h) + " m",
                          "heights are positive");
    s.centre.push_back(s.face.back() + h / 2);
    s.face.push_back(s.face.back() + h);
  }
  for (std::size_t k = 0; k <= n; ++k)
    s.distance.push_back(k == 0   ? s.height.front()
                         : k == n ? s.height.back()
                                  : (s.height[k - 1] + s.height[k]) / 2);
  s.face_exner = {std::pow(what.surface_pressure / reference_pressure, gas_dry / heat_dry)};
  for (std::size_t k = 0; k < n; ++k) {
    s.theta.push_back(what.theta.at(s.centre[k]));
    s.water.push_back(what.water.at(s.centre[k]));
    s.tv.push_back(s.theta[k] * (1 + lightness * s.water[k]));
    s.lift.push_back(gravity / (what.boussinesq ? offset : s.tv[k]));
    const double below = s.face_exner.back();
    const double above = below - gravity * s.height[k] / (heat_dry * s.tv[k]);
    if (!(above > 0))
      throw heddle::Error("levels", "the air ends below the top of the domain", "choose a lower one");
    s.face_exner.push_back(above);
    s.exner.push_back((below + above) / 2);
    s.pressure.push_back(pressure_at(s.exner[k]));
    s.density.push_back(what.boussinesq ? 1 : s.pressure[k] / (gas_dry * s.tv[k] * s.exner[k]));
  }
  for (std::size_t k = 0; k <= n; ++k) {
    const double tv = (s.tv[k == 0 ? 0 : k - 1] + s.tv[std::min(k, n - 1)]) / 2;
    s.face_density.push_back(
        what.boussinesq ? 1 : pressure_at(s.face_exner[k]) / (gas_dry * tv * s.face_exner[k]));
  }
  return s;
}

BaseState make_base_state(const Case& what, std::int64_t levels) {
  return make_base_state(what, std::vector<double>(static_cast<std::size_t>(levels),
                                                   what.size[2] / static_cast<double>(levels)));
}

double slope_at_lid(const Knots& profile, const BaseState& base) {
  const double top = base.face.back(), below = base.centre.back();
  return (profile.at(top) - profile.at(below)) / (top - below);
}

double saturation_pressure(double temperature) {
  constexpr std::array a{610.5851,    44.40316,    1.430341,     2.641412e-2,  2.995057e-4,
                         2.031998e-6, 6.936113e-9, 2.564861e-12, -3.704404e-15};
  const double celsius = std::max(temperature - 273.15, -80.0);
  double sum = 0;
  for (std::size_t i = a.size(); i-- > 0;)
    sum = sum * celsius + a[i];
  return sum;
}

double saturation_humidity(double temperature, double pressure) {
  const double vapour = saturation_pressure(temperature);
  return molecular_ratio * vapour / (pressure - (1 - molecular_ratio) * vapour);
}

} // namespace clouds
