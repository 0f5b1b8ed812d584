// SPDX-License-Identifier: Apache-2.0
// The air in which all begins: a sounding, and the levels of the domain in it.
#ifndef HEDDLE_COLUMN_PHYSICS_AIR_HPP
#define HEDDLE_COLUMN_PHYSICS_AIR_HPP

#include <filesystem>
#include <vector>

namespace front {

/// A sounding: values at heights that rise from 0. SI units; mixing ratios in kg/kg.
struct Sounding {
  double surface_pressure = 1e5;
  std::vector<double> height, theta, vapour, u, v;

  /// The value of one of the vectors at a height: linear, constant beyond the ends.
  [[nodiscard]] double at(const std::vector<double>& values, double z) const;
};

/// Conditionally unstable air of middle latitudes (M. L. Weisman and J. B. Klemp, Mon. Wea. Rev. 110, 504,
/// 1982), with 13 g/kg near the ground, and a west wind that grows with height.
[[nodiscard]] Sounding weisman_klemp();

/// Reads a file as WRF's ideal cases have it. Throws heddle::Error with the line for what is no number, for
/// heights that do not rise, temperatures that are not positive and negative mixing ratios.
[[nodiscard]] Sounding read_sounding(const std::filesystem::path& file);

/// What each level of a domain has, from the ground up. Faces are one more; face k lies below level k.
struct Levels {
  std::vector<double> face_height, face_pressure; // m, Pa
  std::vector<double> height, thickness;          // of the centre, and of the level, m
  std::vector<double> mass;                       // kg m-2
  std::vector<double> pressure, density, exner;   // Pa, kg m-3, 1
  std::vector<double> theta, vapour, u, v;
  std::vector<double> rdnw; // 1 / (eta above - eta below), negative

  [[nodiscard]] int count() const { return static_cast<int>(height.size()); }
  /// Mass of a column as pressure, Pa.
  [[nodiscard]] double column() const { return face_pressure.front() - face_pressure.back(); }
};

/// Levels that grow thicker with height, in balance with the air: dp/dz = - g rho. Throws heddle::Error where
/// the top lies above all air.
[[nodiscard]] Levels make_levels(const Sounding& air, int count, double top);

/// Throws heddle::Error with the level for what no scheme can take: heights out of order, a thickness, a mass
/// or a density that is not positive, a temperature or a mixing ratio that is negative, NaN anywhere.
void require_levels(const Levels& levels);

} // namespace front

#endif
