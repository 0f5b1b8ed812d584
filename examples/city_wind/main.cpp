// SPDX-License-Identifier: Apache-2.0
// Wind around buildings that conserves mass. The kernels are generated from first_guess.py and
// consistency.py; see README.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "buildings.hpp"
#include "grid.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/io/output.hpp"
#include "heddle/io/output_folder.hpp"
#include "heddle/program/program.hpp"
#include "netcdf_file.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "sensors.hpp"
#include "start.hpp"
#include "wind.hpp"
#include "zones.hpp"

namespace city_wind {
namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Case {
  Grid grid;
  Ground ground;
  std::vector<Building> buildings;
  std::vector<Sensor> sensors; // by time
};

Case make_case(const Options& options) {
  Grid grid = make_grid(options.cells[0], options.cells[1], options.cells[2], options.cell[0],
                        options.cell[1], options.cell[2], options.stretch);
  Ground ground = options.terrain.empty()
                      ? Ground(grid)
                      : Ground(grid, heddle::geometry::read_elevation(options.terrain, options.data_cell),
                               options.origin);
  std::vector<Building> buildings;
  if (options.buildings.extension() == ".shp")
    buildings = read_shapefile(options.buildings, options.height_field);
  else if (!options.buildings.empty())
    buildings = read_buildings(options.buildings);
  else if (!options.empty)
    buildings = small_city();
  check_buildings(buildings, grid, ground);
  std::vector<Sensor> sensors;
  if (options.sensors.empty()) {
    sensors = {options.sensor};
    sensors[0].at = {grid.length() / 2, grid.width() / 2};
  } else {
    sensors = read_sensors(options.sensors);
  }
  check_sensors(sensors, grid);
  return {std::move(grid), std::move(ground), std::move(buildings), std::move(sensors)};
}

template <class T> heddle::Solution solve(Wind<T>& wind, const Options& options, double tolerance) {
  if (options.multigrid) return wind.solve_with_multigrid(tolerance, options.iterations.value_or(200));
  return wind.solve(tolerance, options.sweeps.value_or(20000), options.omega.value_or(wind.best_omega()));
}

/// Returns the exit status.
template <class T> int run(const Options& options) {
  const double begin = seconds();
  const heddle::Environment environment({.threads = options.threads.value_or(0)});
  const Case c = make_case(options);
  const Grid& grid = c.grid;
  std::printf("domain    %lld x %lld x %lld cells, %g m x %g m x %.4g m; %zu buildings\n",
              static_cast<long long>(grid.nx), static_cast<long long>(grid.ny),
              static_cast<long long>(grid.nz), grid.length(), grid.width(), grid.top(), c.buildings.size());
  std::fputs(environment.describe().c_str(), stdout);

  const heddle::Memory memory = options.gpu ? heddle::Memory::device : heddle::Memory::host;
  Wind<T> wind(grid, c.ground, c.buildings, memory);
  const double tolerance = options.tolerance.value_or(options.single ? 2e-4 : 1e-6);

  const auto times = std::count_if(c.sensors.begin(), c.sensors.end(), [&](const Sensor& s) {
    return &s == c.sensors.data() || s.time != (&s)[-1].time;
  });
  const std::vector<std::int64_t> level = equal_levels(grid);
  const double columns = static_cast<double>(grid.nx) * static_cast<double>(grid.ny);
  constexpr double bytes_in_vti = 3 * sizeof(float) + 1;
  constexpr double bytes_in_netcdf = 5 * sizeof(float);
  heddle::OutputFolder results(options.out, static_cast<double>(times) * columns *
                                                (static_cast<double>(level.size()) * bytes_in_vti +
                                                 static_cast<double>(grid.nz) * bytes_in_netcdf));
  const heddle::BlockGrid cells(
      heddle::Box{{0, 0, 0}, {grid.nx, grid.ny, static_cast<std::int64_t>(level.size())}});
  heddle::Output output(results.unfinished(), "wind", cells,
                        {.spacing = {grid.dx, grid.dy, grid.thickness[0]}});
  CellWind now;
  const auto index = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<std::size_t>(i + grid.nx * (j + grid.ny * level[static_cast<std::size_t>(k)]));
  };
  output.add<float>("velocity", 3, [&](int, std::int64_t i, std::int64_t j, std::int64_t k, int component) {
    const std::size_t n = index(i, j, k);
    return component == 0 ? now.u[n] : component == 1 ? now.v[n] : now.w[n];
  });
  output.add<std::uint8_t>("icell", 1, [&](int, std::int64_t i, std::int64_t j, std::int64_t k, int) {
    return now.icell[index(i, j, k)];
  });
  std::optional<NetcdfFile> netcdf;
  if (NetcdfFile::available()) netcdf.emplace(results.unfinished() / "wind.nc", grid, c.ground);

  std::int64_t step = 0;
  bool converged = true;
  for (auto first = c.sensors.begin(); first != c.sensors.end(); ++step) {
    const auto last =
        std::find_if(first, c.sensors.end(), [&](const Sensor& s) { return s.time != first->time; });
    const Inflow inflow({first, last});
    const std::vector<Zone> zones =
        make_zones(grid, c.ground, c.buildings, inflow, options.zones, options.wall_roughness);
    const double start = seconds();
    wind.guess(inflow, zones);
    const double guessed = seconds();
    const heddle::Solution solution = solve(wind, options, tolerance);
    const double solved = seconds();
    wind.correct();
    std::printf("t = %-6g %zu zones in %.3f s; %s, %lld %s in %.3f s; divergence %.2g 1/s\n", first->time,
                zones.size(), guessed - start, to_string(solution.outcome).c_str(),
                static_cast<long long>(solution.cycles * (options.multigrid ? 1 : Wind<T>::sweeps_a_cycle)),
                options.multigrid ? "iterations" : "sweeps", solved - guessed, wind.largest_divergence());
    converged = converged && solution.converged();
    if (!solution.converged())
      std::printf("          the divergence asked for, %g 1/s, was not reached%s\n", tolerance,
                  options.single ? ": float holds no more digits; --precision f64 does" : "");
    now = wind.at_centres();
    output.write(step, first->time);
    if (netcdf) netcdf->write(first->time, now);
    first = last;
  }
  if (netcdf) netcdf->close();
  char subtitle[160];
  std::snprintf(subtitle, sizeof subtitle, "%zu buildings, %.2f million cells; kernels generated by Heddle.",
                c.buildings.size(), static_cast<double>(grid.nx * grid.ny * grid.nz) / 1e6);
  draw_picture(grid, c.ground, c.buildings, now, subtitle, results.unfinished() / "wind.png");
  results.publish();
  std::printf("written   %s%s, %s (%.1f s in all)\n", (options.out / "wind.pvd").string().c_str(),
              netcdf ? (", " + (options.out / "wind.nc").string()).c_str() : "",
              (options.out / "wind.png").string().c_str(), seconds() - begin);
  if (!netcdf)
    std::printf("          no wind.nc: this program was built without NetCDF (Debian: libnetcdf-dev)\n");
  if (converged) return 0;
  std::fprintf(stderr, "city_wind: not all times are converged: the results are written, their divergence is "
                       "larger than asked for\n");
  return example::not_converged;
}

} // namespace
} // namespace city_wind

int main(int argc, char** argv) {
  const auto start = example::start("city_wind", city_wind::parse_options, argc, argv);
  if (start.status) return heddle::end_together(argc, argv, *start.status);
  // The frame of one rank on the host: it makes nothing of several devices.
  return heddle::run(argc, argv, heddle::Memory::host, [&](heddle::Ranks& ranks) {
    if (ranks.count() > 1)
      throw heddle::Error("start of the program",
                          "the program runs on one rank, not on " + std::to_string(ranks.count()),
                          "start it without mpirun and without HEDDLE_RANKS");
    int status = 0;
    example::within_memory("choose fewer cells with --cells", [&] {
      status =
          start.options.single ? city_wind::run<float>(start.options) : city_wind::run<double>(start.options);
    });
    return status;
  });
}
