// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "constants.hpp"
#include "heddle/core/error.hpp"

namespace clouds {

double Knots::at(double z) const {
  const auto next = std::ranges::find_if(knots_, [z](const Knot& knot) { return knot.z > z; });
  if (next == knots_.begin()) return next->value;
  const Knot& below = *(next - 1);
  if (next == knots_.end()) return below.value;
  return below.value + (next->value - below.value) * (z - below.z) / (next->z - below.z);
}

double Case::virtual_flux() const {
  return theta_flux * (1 + lightness * water.at(0)) + lightness * theta.at(0) * water_flux;
}

Case convective_layer() {
  Case c;
  c.name = "cbl";
  c.title = "Dry convective boundary layer";
  c.size = {3200, 3200, 3200};
  c.cells = {128, 128, 128};
  c.hours = 3;
  c.boussinesq = true;
  c.theta = {{0, 300}, {1e5, 300 + 0.003 * 1e5}};
  c.theta_flux = 0.1;
  c.roughness = 0.1;
  c.theta_noise = 0.1;
  c.noise_below = 300;
  c.sponge_above = 2400;
  return c;
}

constexpr double day = 86400; // s

Knots bomex_cooling(double top) {
  return {{0, -2 / day}, {1500, -2 / day}, {top, 0}};
}

Case bomex() {
  Case c;
  c.name = "bomex";
  c.title = "Shallow cumulus clouds, BOMEX";
  c.size = {6400, 6400, 3000};
  c.cells = {64, 64, 75};
  c.hours = 6;
  c.surface_pressure = 101500;
  c.theta = {{0, 298.7}, {520, 298.7}, {1480, 302.4}, {2000, 308.2}, {3000, 311.85}};
  c.water = {{0, 17.0e-3}, {520, 16.3e-3}, {1480, 10.7e-3}, {2000, 4.2e-3}, {3000, 3.0e-3}};
  c.u = {{0, -8.75}, {700, -8.75}, {3000, -4.61}};
  c.u_geostrophic = {{0, -10}, {3000, -10 + 1.8e-3 * 3000}};
  c.subsidence = {{0, 0}, {1500, -0.0065}, {2100, 0}};
  c.heating = bomex_cooling(3000);
  c.moistening = {{0, -1.2e-8}, {300, -1.2e-8}, {500, 0}};
  c.subsides_wind = true;
  c.coriolis = 0.376e-4;
  c.u_frame = -8;
  c.theta_flux = 8e-3;
  c.water_flux = 5.2e-5;
  c.friction_velocity = 0.28;
  c.roughness = 1.5e-4;
  c.theta_noise = 0.1;
  c.water_noise = 0.025e-3;
  c.noise_below = 1600;
  c.sponge_above = 2500;
  return c;
}

Case bubble() {
  Case c;
  c.name = "bubble";
  c.title = "A warm bubble rises";
  c.size = {20000, 600, 10000};
  c.cells = {200, 6, 100};
  c.hours = 1000.0 / 3600;
  c.turbulence = false;
  c.theta_bump = [](double x, double, double z) {
    const double r = std::min(1.0, std::hypot(x - 10000, z - 2000) / 2000);
    const double half = std::cos(std::numbers::pi * r / 2);
    return 2 * half * half;
  };
  return c;
}

Case moist_bubble() {
  Case c = bubble();
  c.name = "moist_bubble";
  c.title = "A warm bubble rises in a cloud";
  // Air with 20 g of water per kg of dry air, and at the ground a wet equivalent potential temperature of 320
  // K: saturated everywhere, and neutral, since it keeps both numbers below when it rises.
  c.theta = 269.965;
  c.water = 0.02 / 1.02;
  c.moist_bump = true;
  return c;
}

Case rico() {
  Case c;
  c.name = "rico";
  c.title = "Cumulus clouds that rain, RICO";
  c.size = {12800, 12800, 4000};
  c.cells = {128, 128, 100};
  c.hours = 24;
  c.surface_pressure = 101540;
  c.theta = {{0, 297.9}, {740, 297.9}, {4000, 317.0}};
  c.water = {{0, 16.0e-3}, {740, 13.8e-3}, {3260, 2.4e-3}, {4000, 1.8e-3}};
  c.u = c.u_geostrophic = {{0, -9.9}, {4000, -9.9 + 2e-3 * 4000}};
  c.v = c.v_geostrophic = -3.8;
  c.subsidence = {{0, 0}, {2260, -0.005}};
  c.heating = -2.5 / day;
  c.moistening = {{0, -1.0e-3 / day}, {2980, 0.3456e-3 / day}};
  c.coriolis = 4.5e-5;
  c.u_frame = -5;
  c.v_frame = -4;
  c.roughness = 1.5e-4;
  c.sea = Sea{.drag = 1.229e-3, .heat = 1.094e-3, .water = 1.133e-3, .theta = 298.494, .humidity = 21.66e-3};
  c.rain = RainScheme::seifert_beheng;
  c.cloud_above = 1e-5;
  c.theta_noise = 0.1;
  c.water_noise = 0.025e-3;
  c.noise_below = 740;
  c.sponge_above = 3500;
  return c;
}

Case density_current() {
  Case c;
  c.name = "density";
  c.title = "A cold current spreads over the ground";
  c.size = {51200, 300, 6400};
  c.cells = {1024, 6, 128};
  c.hours = 900.0 / 3600;
  c.turbulence = false;
  c.viscosity = 75;
  c.per_prandtl = 1;
  c.theta_bump = [](double x, double, double z) {
    const double r = std::min(1.0, std::hypot((x - 25600) / 4000, (z - 3000) / 2000));
    const double exner = 1 - gravity * z / (heat_dry * offset);
    return -15 * (1 + std::cos(std::numbers::pi * r)) / 2 / exner; // 15 K of temperature
  };
  return c;
}

Case wave() {
  Case c;
  c.name = "wave";
  c.title = "Inertia-gravity waves in a channel";
  c.size = {300000, 6000, 10000};
  c.cells = {300, 6, 100};
  c.hours = 3000.0 / 3600;
  c.step_per_width = 0.012; // 12 s for cells of 1 km: errors in time stay below those in space
  c.boussinesq = true;
  c.turbulence = false;
  c.theta = {{0, 300}, {1e5, 300 + 1e-4 * 300 / gravity * 1e5}}; // N = 0.01 s-1
  c.u = 20;
  c.theta_bump = [](double x, double, double z) {
    const double from_centre = (x - 100000) / 5000;
    return 0.01 * std::sin(std::numbers::pi * z / 10000) / (1 + from_centre * from_centre);
  };
  return c;
}

const std::vector<std::string>& case_names() {
  static const std::vector<std::string> names{"cbl",          "bomex", "bubble", "density",
                                              "moist_bubble", "rico",  "wave"};
  return names;
}

Case case_named(const std::string& name) {
  if (name == "cbl") return convective_layer();
  if (name == "bomex") return bomex();
  if (name == "bubble") return bubble();
  if (name == "density") return density_current();
  if (name == "moist_bubble") return moist_bubble();
  if (name == "rico") return rico();
  if (name == "wave") return wave();
  throw heddle::Error("case", "'" + name + "' is not known",
                      "use cbl, bomex, bubble, density, moist_bubble, rico or wave");
}

} // namespace clouds
