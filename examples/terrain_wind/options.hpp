// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_OPTIONS_HPP
#define HEDDLE_OPTIONS_HPP

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "heddle/geometry/elevation.hpp"

namespace terrain_wind {

/// What the command line says; lengths in metres, times in seconds unless noted.
struct Options {
  std::filesystem::path input; ///< elevation model or mesh; empty: the Jacksboro sample
  double centre_x = 15500;     ///< of the window, from the model's south-west corner
  double centre_y = 13000;
  double length = 13000; ///< of the window along the wind
  double width = 9000;   ///< of the window across the wind
  bool whole = false;    ///< no window was given and the input is not the sample: take it all
  double cell = 50;
  double wind = 12; ///< m/s at `reference` above the ground, upstream
  double reference = 100;
  double direction = 270;               ///< degrees, where the wind comes from; 270 is a west wind
  double roughness = 1;                 ///< of forest
  double height = 1500;                 ///< of the air above the highest ground
  std::optional<double> duration;       ///< default: one passage of the air through the domain
  std::optional<std::int64_t> steps;    ///< instead of a duration
  std::optional<double> time_step;      ///< default: as long as the stability limit allows
  heddle::geometry::CellSize data_cell; ///< for elevation models that do not say it
  std::filesystem::path out = "terrain_wind_output";
  int frames = 4;                     ///< files of the .pvd series
  std::int64_t checkpoint_every = 0;  ///< steps; 0: no checkpoints
  std::optional<std::int64_t> resume; ///< step of the checkpoint to go on from; negative: the newest
  bool picture = true;
  bool gpu = false;
  std::optional<int> threads;
};

/// Reads the arguments. Throws heddle::Error for an unknown option, a missing or senseless value.
/// Nothing after --help, which it prints. Throws heddle::Error with the option and the reason.
[[nodiscard]] std::optional<Options> parse_options(int count, const char* const* arguments);

/// The text of --help.

} // namespace terrain_wind

#endif
