// SPDX-License-Identifier: Apache-2.0
#include "base_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "constants.hpp"
#include "heddle/core/error.hpp"

namespace clouds {
namespace {

double pressure_at(double exner) {
  return reference_pressure * std::pow(exner, heat_dry / gas_dry);
}

double virtual_theta(double theta_l, double water, double cloud, double exner) {
  const double theta = theta_l + vaporisation / (heat_dry * exner) * cloud;
  return theta * (1 + lightness * water - (1 + lightness) * cloud);
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
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
  if (what.sponge_above < no_sponge && s.face.back() <= what.sponge_above)
    throw heddle::Error("levels",
                        "the domain ends at " + text_of(s.face.back()) +
                            " m, and the sponge that takes waves begins at " + text_of(what.sponge_above) +
                            " m",
                        "let levels reach higher");
  for (std::size_t k = 0; k <= n; ++k)
    s.distance.push_back(k == 0   ? s.height.front()
                         : k == n ? s.height.back()
                                  : (s.height[k - 1] + s.height[k]) / 2);
  s.face_exner = {std::pow(what.surface_pressure / reference_pressure, gas_dry / heat_dry)};
  for (std::size_t k = 0; k < n; ++k) {
    s.theta.push_back(what.theta.at(s.centre[k]));
    s.water.push_back(what.water.at(s.centre[k]));
    const double below = s.face_exner.back();
    double above = 0, tv = s.theta[k] * (1 + lightness * s.water[k]), exner = 0, cloud = 0;
    for (int round = 0; round < 50; ++round) { // one, but for saturated air
      above = below - gravity * s.height[k] / (heat_dry * tv);
      if (!(above > 0))
        throw heddle::Error("levels", "the air ends below the top of the domain", "choose a lower one");
      exner = (below + above) / 2;
      cloud = cloud_water(s.theta[k], s.water[k], pressure_at(exner), exner);
      if (cloud == 0) break;
      tv = virtual_theta(s.theta[k], s.water[k], cloud, exner);
    }
    s.cloud.push_back(cloud);
    s.tv.push_back(tv);
    s.lift.push_back(gravity / (what.boussinesq ? offset : tv));
    s.face_exner.push_back(above);
    s.exner.push_back(exner);
    s.pressure.push_back(pressure_at(exner));
    s.density.push_back(what.boussinesq ? 1 : s.pressure[k] / (gas_dry * s.tv[k] * s.exner[k]));
  }
  for (std::size_t k = 0; k <= n; ++k) {
    const double tv = (s.tv[k == 0 ? 0 : k - 1] + s.tv[std::min(k, n - 1)]) / 2;
    s.face_density.push_back(
        what.boussinesq ? 1 : pressure_at(s.face_exner[k]) / (gas_dry * tv * s.face_exner[k]));
  }
  return s;
}

std::vector<double> read_levels(const std::filesystem::path& file) {
  const std::string where = "levels in '" + file.string() + "'";
  std::ifstream stream(file);
  if (!stream || std::filesystem::is_directory(file))
    throw heddle::Error(where, "the file cannot be read", "check its name");
  std::vector<double> heights;
  std::string line;
  double below = 0;
  for (int number = 1; std::getline(stream, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word, more;
    if (!(words >> word)) continue;
    char* end = nullptr;
    const double face = std::strtod(word.c_str(), &end);
    const std::string at = where + ", line " + std::to_string(number);
    if (*end != '\0' || words >> more || !std::isfinite(face))
      throw heddle::Error(at, "'" + line.substr(0, 40) + "' is not a height",
                          "write one finite number per line, in m");
    if (face == 0 && heights.empty()) continue; // the ground
    if (!(face > below))
      throw heddle::Error(at, text_of(face) + " m does not lie above " + text_of(below) + " m",
                          "let heights rise from the ground on");
    heights.push_back(face - below);
    below = face;
  }
  return heights;
}

BaseState make_base_state(const Case& what, std::int64_t levels) {
  return make_base_state(what, std::vector<double>(static_cast<std::size_t>(levels),
                                                   what.size[2] / static_cast<double>(levels)));
}

double theta_l_of(const BaseState& base, std::size_t k, double tv) {
  double low = base.theta[k] - 50, high = base.theta[k] + 50;
  for (int round = 0; round < 60; ++round) {
    const double middle = (low + high) / 2;
    const double cloud = cloud_water(middle, base.water[k], base.pressure[k], base.exner[k]);
    (virtual_theta(middle, base.water[k], cloud, base.exner[k]) < tv ? low : high) = middle;
  }
  return (low + high) / 2;
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

double cloud_water(double theta_l, double water, double pressure, double exner) {
  const double cold = exner * theta_l, warming = vaporisation / heat_dry;
  if (water <= saturation_humidity(cold, pressure)) return 0;
  double low = cold, high = cold + warming * water; // where less, and more, has condensed than that warms
  for (int round = 0; round < 60; ++round) {
    const double t = (low + high) / 2;
    (t - cold > warming * std::max(0.0, water - saturation_humidity(t, pressure)) ? high : low) = t;
  }
  return (low + high - 2 * cold) / (2 * warming);
}

} // namespace clouds
