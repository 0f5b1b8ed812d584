// SPDX-License-Identifier: Apache-2.0
#include "air.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "constants.hpp"
#include "heddle/core/error.hpp"

namespace front {

double Sounding::at(const std::vector<double>& values, double z) const {
  const auto above = std::upper_bound(height.begin(), height.end(), z);
  if (above == height.begin()) return values.front();
  if (above == height.end()) return values.back();
  const auto n = static_cast<std::size_t>(above - height.begin());
  const double part = (z - height[n - 1]) / (height[n] - height[n - 1]);
  return values[n - 1] + part * (values[n] - values[n - 1]);
}

Sounding weisman_klemp() {
  constexpr double tropopause = 12000, theta_ground = 300, theta_there = 343, t_there = 213;
  constexpr double most_vapour = 13e-3, spacing = 100;
  Sounding air;
  double exner = 1; // at the ground, where the pressure is 1000 hPa
  for (int n = 0; n <= 300; ++n) {
    const double z = spacing * n, part = std::pow(std::min(z / tropopause, 1.0), 1.25);
    const double theta = z <= tropopause
                             ? theta_ground + (theta_there - theta_ground) * part
                             : theta_there * std::exp(gravity / (heat_dry * t_there) * (z - tropopause));
    if (n > 0) exner -= gravity * spacing / (heat_dry * (theta + air.theta.back()) / 2);
    const double t = theta * exner, p = 1e5 * std::pow(exner, heat_dry / gas_dry);
    const double saturated = 380 / p * std::exp(17.27 * (t - 273) / (t - 36)); // O. Tetens (1930)
    const double humidity = z <= tropopause ? 1 - 0.75 * part : 0.25;
    air.height.push_back(z);
    air.theta.push_back(theta);
    air.vapour.push_back(std::min(most_vapour, humidity * saturated));
    air.u.push_back(10 + 15 * std::min(z / tropopause, 1.0));
    air.v.push_back(4 * std::min(z / 3000, 1.0));
  }
  return air;
}

Sounding read_sounding(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file))
    throw heddle::Error("file '" + file.string() + "'", "it cannot be read", "check its name");
  Sounding air;
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto refuse = [&](const std::string& reason, const char* hint) {
      throw heddle::Error("file '" + file.string() + "', line " + std::to_string(line), reason, hint);
    };
    const bool first = air.height.empty();
    std::array<double, 5> v{};
    std::istringstream words(text);
    std::string word;
    for (std::size_t n = 0; n < (first ? 3U : 5U); ++n) {
      if (!(words >> word))
        refuse(
            "it has too few numbers",
            first
                ? "write pressure (hPa), potential temperature (K), vapour (g/kg)"
                : "write height (m), potential temperature (K), vapour (g/kg), wind along x, along y (m/s)");
      std::size_t used = 0;
      try {
        v[n] = std::stod(word, &used);
      } catch (const std::exception&) {
        used = 0;
      }
      if (used != word.size() || !std::isfinite(v[n]))
        refuse("'" + word + "' is not a number", "write finite numbers, separated by spaces");
    }
    const double z = first ? 0 : v[0];
    if (first && v[0] <= 0) refuse("a pressure of " + word + " hPa", "it must be positive");
    if (!first && z <= air.height.back())
      refuse("the height " + std::to_string(z) + " m does not lie above the one before, " +
                 std::to_string(air.height.back()) + " m",
             "order the levels from the ground up");
    if (v[1] <= 0) refuse("a potential temperature of " + std::to_string(v[1]) + " K", "it must be positive");
    if (v[2] > 1000 * most_water)
      refuse(std::to_string(v[2]) + " g/kg of vapour", "a tenth of the air at most: write g/kg");
    if (v[2] < 0) refuse("negative vapour, " + std::to_string(v[2]) + " g/kg", "use 0 where there is none");
    if (first) air.surface_pressure = 100 * v[0];
    air.height.push_back(z);
    air.theta.push_back(v[1]);
    air.vapour.push_back(v[2] / 1000);
    air.u.push_back(v[3]);
    air.v.push_back(v[4]);
  }
  if (air.height.size() < 2)
    throw heddle::Error("file '" + file.string() + "'", "it has no levels above the ground",
                        "write one line each: height, potential temperature, vapour, wind along x, along y");
  air.u.front() = air.u[1];
  air.v.front() = air.v[1];
  return air;
}

Levels make_levels(const Sounding& air, int count, double top) {
  constexpr double share = 0.25; // of a thickness that does not depend on height
  Levels levels;
  double exner = std::pow(air.surface_pressure / 1e5, gas_dry / heat_dry);
  const auto pressure = [](double of) { return 1e5 * std::pow(of, heat_dry / gas_dry); };
  levels.face_height.push_back(0);
  levels.face_pressure.push_back(air.surface_pressure);
  for (int k = 0; k < count; ++k) {
    const double s = (k + 1.0) / count, z = top * s * (share + (1 - share) * s);
    const double dz = z - levels.face_height.back(), centre = z - dz / 2;
    const double theta = air.at(air.theta, centre), vapour = air.at(air.vapour, centre);
    const double fall = gravity * dz / (heat_dry * theta * (1 + 0.61 * vapour));
    if (exner - fall <= 0)
      throw heddle::Error("level " + std::to_string(k), "there is no air at " + std::to_string(z) + " m",
                          "choose a lower --top");
    levels.exner.push_back(exner - fall / 2);
    exner -= fall;
    levels.face_height.push_back(z);
    levels.face_pressure.push_back(pressure(exner));
    levels.height.push_back(centre);
    levels.thickness.push_back(dz);
    levels.mass.push_back((levels.face_pressure[static_cast<std::size_t>(k)] - levels.face_pressure.back()) /
                          gravity);
    levels.density.push_back(levels.mass.back() / dz);
    levels.pressure.push_back(pressure(levels.exner.back()));
    levels.theta.push_back(theta);
    levels.vapour.push_back(vapour);
    levels.u.push_back(air.at(air.u, centre));
    levels.v.push_back(air.at(air.v, centre));
  }
  for (const double mass : levels.mass)
    levels.rdnw.push_back(-levels.column() / (gravity * mass));
  return levels;
}

void require_levels(const Levels& levels) {
  for (std::size_t k = 0; k < levels.height.size(); ++k) {
    const auto require = [k](bool good, const char* what, double value, const char* hint) {
      if (!good)
        throw heddle::Error("level " + std::to_string(k),
                            std::string("its ") + what + " is " + std::to_string(value), hint);
    };
    const double below = k == 0 ? levels.face_height[0] : levels.height[k - 1];
    require(levels.height[k] > below, "height (m)", levels.height[k], "order levels from the ground up");
    require(levels.thickness[k] > 0, "thickness (m)", levels.thickness[k], "it must be positive");
    require(levels.mass[k] > 0, "mass (kg m-2)", levels.mass[k], "pressure must fall with height");
    require(levels.density[k] > 0, "density (kg m-3)", levels.density[k], "it must be positive");
    require(levels.theta[k] > 0, "potential temperature (K)", levels.theta[k], "it must be positive");
    require(levels.vapour[k] >= 0, "vapour (kg/kg)", levels.vapour[k], "use 0 where there is none");
    require(levels.vapour[k] <= most_water, "vapour (kg/kg)", levels.vapour[k], "a tenth of the air at most");
    const double temperature = levels.theta[k] * levels.exner[k];
    require(!(temperature < coldest) && !(temperature > warmest), "temperature (K)", temperature,
            "it must lie between 100 and 400: look at potential temperature and pressure");
    for (const auto* values :
         {&levels.height, &levels.thickness, &levels.mass, &levels.density, &levels.pressure, &levels.exner,
          &levels.theta, &levels.vapour, &levels.u, &levels.v})
      require(std::isfinite((*values)[k]), "value", (*values)[k], "use finite numbers");
  }
}

} // namespace front
