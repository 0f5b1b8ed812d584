// SPDX-License-Identifier: Apache-2.0
// What city_wind reads: a command line, tables of buildings and sensors, shapefiles.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "buildings.hpp"
#include "grid.hpp"
#include "options.hpp"
#include "reader.hpp"
#include "sensors.hpp"
#include "zones.hpp"

#if defined(CITY_WIND_GDAL)
#include <cpl_error.h>
#endif

namespace {

void use(const std::vector<city_wind::Building>& buildings) {
  const city_wind::Grid grid = city_wind::make_grid(20, 20, 20, 5, 5, 5);
  const city_wind::Ground ground(grid);
  city_wind::check_buildings(buildings, grid, ground);
  const city_wind::Inflow inflow({{"the harness", 0, {50, 50}, 10, 5, 250}});
  (void)city_wind::make_zones(grid, ground, buildings, inflow, {}, 0.1);
}

const fuzz::Reader buildings("buildings", [](fuzz::Bytes bytes) {
  use(city_wind::read_buildings(fuzz::write("a.csv", bytes)));
});

const fuzz::Reader sensors("sensors", [](fuzz::Bytes bytes) {
  const std::vector<city_wind::Sensor> read = city_wind::read_sensors(fuzz::write("a.csv", bytes));
  city_wind::check_sensors(read, city_wind::make_grid(20, 20, 20, 5, 5, 5));
  std::vector<city_wind::Sensor> first;
  std::ranges::copy_if(read, std::back_inserter(first),
                       [&](const city_wind::Sensor& sensor) { return sensor.time == read.front().time; });
  const city_wind::Vec2 wind = city_wind::Inflow(first).wind(20, 30, 12);
  fuzz::require(std::isfinite(wind.x) && std::isfinite(wind.y), "sensors that pass their check give a wind");
});

const fuzz::Reader command_line("city_options", [](fuzz::Bytes bytes) {
  const fuzz::CommandLine line("city_wind", bytes);
  const auto options = city_wind::parse_options(line.count(), line.arguments());
  if (!options) return; // --help
  const auto& [nx, ny, nz] = options->cells;
  const auto& [dx, dy, dz] = options->cell;
  const city_wind::Grid grid = city_wind::make_grid(nx, ny, nz, dx, dy, dz, options->stretch);
  fuzz::require(std::isfinite(grid.top()) && grid.top() > 0, "levels end at a height");
  (void)city_wind::equal_levels(grid);
});

#if defined(CITY_WIND_GDAL)
/// Three files one after the other, each behind its length in four bytes: .shp, .shx, .dbf.
const fuzz::Reader shapefile("shapefile", [](fuzz::Bytes bytes) {
  CPLSetErrorHandler(CPLQuietErrorHandler);
  for (const char* const name : {"a.shp", "a.shx", "a.dbf"}) {
    std::uint32_t length = 0;
    if (bytes.size() >= sizeof length) {
      std::memcpy(&length, bytes.data(), sizeof length);
      bytes = bytes.subspan(sizeof length);
    }
    const std::size_t here = std::min<std::size_t>(length, bytes.size());
    (void)fuzz::write(name, bytes.first(here));
    bytes = bytes.subspan(here);
  }
  use(city_wind::read_shapefile(fuzz::folder() + "/a.shp", "H"));
});
#endif

} // namespace
