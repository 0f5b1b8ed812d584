// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "heddle/core/environment.hpp"

namespace city_wind {
namespace {

void set_zones(Parameterisations& zones, const std::vector<std::string>& names) {
  const auto named = [&](const char* name) {
    return std::ranges::find(names, name) != names.end() || names.front() == "all";
  };
  zones = {named("upwind"), named("wake"), named("canyon"), named("sidewall"), named("rooftop")};
}

/// Options of the solver that was not chosen may not be passed over in silence.
void refuse_unused(const Options& options) {
  const auto refuse = [](const char* option, const char* solver) {
    throw heddle::Error(std::string("option ") + option, "the chosen solver does not use it",
                        std::string("add --solver ") + solver);
  };
  if (options.multigrid && options.omega) refuse("--omega", "sor");
  if (options.multigrid && options.sweeps) refuse("--sweeps", "sor");
  if (!options.multigrid && options.iterations) refuse("--iterations", "mg-pcg");
  if (options.multigrid && options.tolerance == 0.0)
    throw heddle::Error("option --tolerance", "mg-pcg needs a tolerance above 0",
                        "give one, or use --solver sor, which then iterates until rounding errors dominate");
}

} // namespace

std::optional<Options> parse_options(int count, const char* const* arguments) {
  using command_line::add_choice;
  using command_line::add_joined;
  using command_line::between;
  Options o;
  CLI::App app("city_wind: wind around buildings that conserves mass");
  command_line::set_up(app);

  app.add_option_function<std::string>(
      "--buildings",
      [&](const std::string& file) {
        o.empty = file == "none";
        o.buildings = o.empty ? "" : file;
      },
      "table of boxes and polygons, .shp, or none (default: a small city)");
  app.add_option("--height-field", o.height_field, "field of the shapefile with the heights");
  app.add_option("--terrain", o.terrain, ".npz, .npy or .asc elevation model (default: flat)");
  std::array<double, 2> origin{};
  add_joined(app, "--origin", ',', origin, 0, 1e8,
             "X,Y: south-west corner of the domain in the elevation model, m");
  std::array<double, 2> data_cell{};
  const CLI::Option* const has_data_cell =
      add_joined(app, "--data-cell", ',', data_cell, 1e-6, 1e8,
                 "DX,DY: cell size of the elevation model where the file does not say it, m")
          ->default_str("");
  add_joined(app, "--cells", ',', o.cells, 0, 1e9, "NX,NY,NZ: number of cells");
  add_joined(app, "--cell-size", ',', o.cell, -1e9, 1e9, "DX,DY,DZ: of the cells, DZ of the lowest level, m");
  app.add_option("--stretch", o.stretch, "each level is thicker by this factor than the one below")
      ->check(between(-10, 10));
  app.add_option("--sensors", o.sensors, "table of times, places and winds (default: one sensor)");
  app.add_option("--wind", o.sensor.speed, "speed at the sensor, m/s")->check(between(0, 1000));
  app.add_option("--direction", o.sensor.direction, "where the wind comes from in degrees, 0 north, 90 east")
      ->check(between(-360, 360));
  app.add_option("--reference", o.sensor.height, "height of the sensor above the ground, m")
      ->check(between(1e-3, 1e5));
  add_choice(
      app, "--profile", {"log", "power"},
      [&](std::size_t i) { o.sensor.profile = i == 1 ? Profile::power : Profile::logarithmic; },
      "of the wind with height (default log)");
  app.add_option("--shape", o.sensor.shape, "roughness length in m of log, exponent of power")
      ->check(between(1e-9, 10));
  app.add_option_function<std::vector<std::string>>(
         "--zones", [&](const std::vector<std::string>& names) { set_zones(o.zones, names); },
         "all (default), none, or some of the others, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember({"all", "none", "upwind", "wake", "canyon", "sidewall", "rooftop"}));
  app.add_option("--wall-roughness", o.wall_roughness, "roughness length of walls and roofs, m")
      ->check(between(1e-6, 10));
  add_choice(
      app, "--precision", {"f64", "f32"}, [&](std::size_t i) { o.single = i == 1; },
      "of all arithmetic (default f64)");
  app.add_option("--tolerance", o.tolerance, "largest divergence of the wind, 1/s (default 1e-6; f32: 2e-4)")
      ->check(between(0, 1e3));
  add_choice(
      app, "--solver", {"sor", "mg-pcg"}, [&](std::size_t i) { o.multigrid = i == 1; },
      "relaxation, or conjugate gradients with multigrid (default mg-pcg)");
  app.add_option("--omega", o.omega, "over-relaxation of sor (default: the best one of an empty box)")
      ->check(between(0.1, 1.999));
  app.add_option("--sweeps", o.sweeps, "the most sweeps of sor at one time (default 20000)")
      ->check(between(1, 1e9));
  app.add_option("--iterations", o.iterations, "the most iterations of mg-pcg at one time (default 200)")
      ->check(between(1, 1e9));
  app.add_option("--out", o.out, "folder of the results");
  add_choice(
      app, "--device", {"cpu", "cuda"}, [&](std::size_t i) { o.gpu = i == 1; },
      "where the kernels run (default cpu)");
  app.add_option("--threads", o.threads, "CPU threads (default: all)")
      ->check(between(1, heddle::most_threads()));

  if (!command_line::read(app, count, arguments)) return std::nullopt;
  o.origin = {origin[0], origin[1]};
  if (*has_data_cell) o.data_cell = {data_cell[0], data_cell[1]};
  refuse_unused(o);
  return o;
}

} // namespace city_wind
