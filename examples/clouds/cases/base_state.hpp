// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_BASE_STATE_HPP
#define HEDDLE_CLOUDS_BASE_STATE_HPP

#include <cstdint>
#include <filesystem>
#include <vector>

#include "case.hpp"

namespace clouds {

/// Air at rest in hydrostatic balance, as the initial profiles of a case have it: n levels, n + 1 faces, from
/// the ground up. SI units.
struct BaseState {
  std::vector<double> height;       // of cells
  std::vector<double> face, centre; // heights above the ground
  std::vector<double> distance;     // between the centres around each face; at the ends from the face twice
  std::vector<double> theta, water; // initial values at centres
  std::vector<double> cloud;        // cloud water of saturated air at centres
  std::vector<double> tv;           // virtual potential temperature at centres
  std::vector<double> lift;         // g / tv
  std::vector<double> exner, pressure, density; // at centres
  std::vector<double> face_exner, face_density;

  [[nodiscard]] std::size_t levels() const { return height.size(); }
};

/// heights: of the cells. The Exner function falls by g h / (cp tv) through a cell of height h. Throws
/// heddle::Error for fewer than 6 cells, a height that is not positive, air that ends within the domain, or a
/// domain that ends below the sponge of the case.
[[nodiscard]] BaseState make_base_state(const Case& what, std::vector<double> heights);
/// The same with cells of equal height.
[[nodiscard]] BaseState make_base_state(const Case& what, std::int64_t levels);
/// The heights of cells (m), from a file with those of the faces between them: rising numbers, one per line,
/// from 0 or from the first face above the ground on; what follows a # is left out. Throws heddle::Error for
/// a file that is not there, and for what is not a finite number or does not rise.
[[nodiscard]] std::vector<double> read_levels(const std::filesystem::path& file);

/// The liquid water potential temperature (K) at which air of level k, with its total water, has a virtual
/// potential temperature (K). Between 50 K around the initial value.
[[nodiscard]] double theta_l_of(const BaseState& base, std::size_t k, double tv);

/// The gradient that a profile has below the lid, per m.
[[nodiscard]] double slope_at_lid(const Knots& profile, const BaseState& base);

/// Saturation pressure (Pa) and specific humidity (kg/kg) at a temperature (K) and a pressure (Pa), from the
/// polynomial of P. J. Flatau et al., J. Appl. Meteor. 31, 1507 (1992), as the kernels have it.
/// cloud_water: of air with a liquid water potential temperature (K) and total water (kg/kg), in kg/kg.
[[nodiscard]] double saturation_pressure(double temperature);
[[nodiscard]] double saturation_humidity(double temperature, double pressure);
[[nodiscard]] double cloud_water(double theta_l, double water, double pressure, double exner);

} // namespace clouds

#endif
