// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_PICTURE_HPP
#define HEDDLE_CITY_WIND_PICTURE_HPP

#include <filesystem>
#include <string>
#include <vector>

#include "buildings.hpp"
#include "grid.hpp"
#include "wind.hpp"

namespace city_wind {

/// Draws the wind: a map of the speed near the ground with arrows, and a section along x through the tallest
/// building. Throws heddle::Error where the file cannot be written.
void draw_picture(const Grid& grid, const Ground& ground, const std::vector<Building>& buildings,
                  const CellWind& wind, const std::string& subtitle, const std::filesystem::path& file);

} // namespace city_wind

#endif
