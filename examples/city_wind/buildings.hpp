// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_BUILDINGS_HPP
#define HEDDLE_CITY_WIND_BUILDINGS_HPP

#include <filesystem>
#include <string>
#include <vector>

#include "grid.hpp"

namespace city_wind {

/// A prism: an outline on the ground, and how high the roof lies above it, m.
struct Building {
  std::string place;         ///< where it was given, for messages
  std::vector<Vec2> outline; ///< counter-clockwise; the last corner is joined to the first
  double height = 0;
};

/// Lines
///   box, x, y, length, width, height [, angle]     south-west corner, sizes; turned about its centre,
///   degrees polygon, height, x1, y1, x2, y2, ..., x1, y1   the last corner is the first again
/// Throws heddle::Error with file and line: unreadable values, an open polygon, fewer than three corners, no
/// area.
[[nodiscard]] std::vector<Building> read_buildings(const std::filesystem::path& file);

/// The polygons of an ESRI shapefile, with their heights from the field `height_field`; coordinates in m.
/// Throws heddle::Error; also where this program was built without GDAL.
[[nodiscard]] std::vector<Building> read_shapefile(const std::filesystem::path& file,
                                                   const std::string& height_field);

/// A building from the corners of a ring whose last corner is its first. Throws heddle::Error with `place`.
[[nodiscard]] Building make_building(std::string place, std::vector<Vec2> ring, double height);

/// Throws heddle::Error naming the building: a height that is not positive, an outline that crosses itself or
/// leaves the domain, a roof without air above, two that overlap (a common wall is no overlap).
void check_buildings(const std::vector<Building>& buildings, const Grid& grid, const Ground& ground);

/// A small city around a square: 640 m x 480 m, houses of 12 m to 30 m, two towers.
[[nodiscard]] std::vector<Building> small_city();

/// Centre of the area.
[[nodiscard]] Vec2 centroid(const std::vector<Vec2>& outline);

} // namespace city_wind

#endif
