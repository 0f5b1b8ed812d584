// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_AIR_QUALITY_PICTURE_HPP
#define HEDDLE_AIR_QUALITY_PICTURE_HPP

#include <filesystem>
#include <string>
#include <vector>

#include "column.hpp"

namespace air_quality {

/// What the picture shows: mole fractions in ppb by record and level.
struct History {
  std::vector<double> hours; // since the start
  std::vector<std::vector<double>> ozone;
  std::vector<std::vector<double>> nitrogen_oxides; // NO + NO2
};

/// Whether this program was built with heddle::plot.
[[nodiscard]] bool can_draw();

/// Ozone and nitrogen oxides by hour and height. Throws heddle::Error where the file cannot be written.
void draw_picture(const Column& column, const Sun& sun, const History& history, const std::string& subtitle,
                  const std::filesystem::path& file);

} // namespace air_quality

#endif
