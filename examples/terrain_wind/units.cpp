// SPDX-License-Identifier: Apache-2.0
#include "units.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "heddle/core/error.hpp"

namespace terrain_wind {

LogProfile::LogProfile(double speed, double reference, double roughness)
    : roughness_(roughness), factor_(speed / std::log((reference + roughness) / roughness)) {}

double LogProfile::operator()(double z) const {
  if (!(z > 0)) return 0;
  return factor_ * std::log((std::min(z, boundary_layer) + roughness_) / roughness_);
}

Units choose_units(double cell, double fastest, double step) {
  if (fastest > mach_limit * sound_speed) {
    std::ostringstream what;
    what << "the wind reaches " << fastest << " m/s aloft, Mach " << fastest / sound_speed;
    std::ostringstream hint;
    hint << "the method takes air as incompressible, up to " << mach_limit * sound_speed
         << " m/s: choose a lower --wind";
    throw heddle::Error("option --wind", what.str(), hint.str());
  }
  const Units units{cell, step > 0 ? step : lattice_speed * cell / fastest};
  const double lattice = fastest / units.speed();
  if (lattice > stability_limit) {
    std::ostringstream what;
    what << "the wind reaches " << fastest << " m/s aloft: " << lattice
         << " cells a step, above the stability limit of " << stability_limit;
    std::ostringstream hint;
    hint << "choose a --time-step of at most " << stability_limit * cell / fastest
         << " s or a wind of at most " << stability_limit * units.speed() << " m/s aloft";
    throw heddle::Error("option --time-step", what.str(), hint.str());
  }
  return units;
}

} // namespace terrain_wind
