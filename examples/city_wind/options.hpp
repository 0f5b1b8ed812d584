// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_OPTIONS_HPP
#define HEDDLE_CITY_WIND_OPTIONS_HPP

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "grid.hpp"
#include "heddle/geometry/elevation.hpp"
#include "sensors.hpp"
#include "zones.hpp"

namespace city_wind {

/// What the command line says; lengths in metres.
struct Options {
  std::filesystem::path buildings; ///< table or shapefile; empty: the small city, unless `empty`
  bool empty = false;              ///< no buildings
  std::string height_field = "H";  ///< of the shapefile
  std::filesystem::path terrain;   ///< elevation model; empty: flat ground
  Vec2 origin;                     ///< the domain's corner in the elevation model
  heddle::geometry::CellSize data_cell;
  std::filesystem::path sensors; ///< empty: one sensor from the options below, in the middle
  Sensor sensor{"command line", 0, {}, 10, 5, 270};
  std::array<std::int64_t, 3> cells{160, 120, 40};
  std::array<double, 3> cell{4, 4, 4};
  double stretch = 1; ///< of the levels
  Parameterisations zones;
  double wall_roughness = 0.1;
  bool single = false;                    ///< float instead of double
  std::optional<double> tolerance;        ///< 1/s; default 1e-6 in double, 2e-4 in float
  bool multigrid = true;                  ///< conjugate gradients with multigrid instead of relaxation
  std::optional<double> omega;            ///< of relaxation
  std::optional<std::int64_t> sweeps;     ///< of relaxation, the most of a time; default 20000
  std::optional<std::int64_t> iterations; ///< of conjugate gradients, the same; default 200
  std::filesystem::path out = "city_wind_output";
  bool gpu = false;
  std::optional<int> threads;
};

/// Reads the arguments. Throws heddle::Error for an unknown option, a missing or senseless value, and options
/// of the solver that is not used.
/// Nothing after --help, which it prints. Throws heddle::Error with the option and the reason.
[[nodiscard]] std::optional<Options> parse_options(int count, const char* const* arguments);

/// The text of --help.

} // namespace city_wind

#endif
