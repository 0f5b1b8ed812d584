// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

#include "heddle/core/error.hpp"
#include "option_rules.hpp"
#include "table.hpp"

namespace city_wind {
namespace {

/// The numbers of a comma-separated value, each within [lower, upper].
std::vector<double> numbers(std::string_view option, std::string_view text, std::size_t count, double lower,
                            double upper) {
  const std::string place = "option " + std::string(option);
  std::vector<double> values;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const double value = parse_number(rest.substr(0, comma), place);
    if (!(value >= lower && value <= upper))
      throw heddle::Error(place, "'" + std::string(text) + "' is out of range",
                          "from " + std::to_string(lower) + " to " + std::to_string(upper));
    values.push_back(value);
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (values.size() != count)
    throw heddle::Error(place, "'" + std::string(text) + "' is not " + std::to_string(count) + " numbers",
                        "separate them by commas");
  return values;
}

using Rule = option_rules::Rule<Options>;

Rule number_rule(std::string_view name, std::string_view value, std::string_view help, double lower,
                 double upper, std::function<void(Options&, double)> set) {
  return {name, value, help,
          [=](Options& o, std::string_view text) { set(o, numbers(name, text, 1, lower, upper)[0]); }};
}

Rule choice_rule(std::string_view name, std::string_view first, std::string_view second,
                 std::string_view value, std::string_view help, std::function<void(Options&, bool)> set) {
  return {name, value, help, [=](Options& o, std::string_view text) {
            if (text != first && text != second)
              throw heddle::Error("option " + std::string(name), "'" + std::string(text) + "' is not valid",
                                  "give " + std::string(first) + " or " + std::string(second));
            set(o, text == second);
          }};
}

void set_zones(Options& o, std::string_view text) {
  o.zones = {false, false, false, false, false};
  if (text == "none") return;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    if (name == "all") {
      o.zones = {};
    } else if (name == "upwind") {
      o.zones.upwind = true;
    } else if (name == "wake") {
      o.zones.wake = true;
    } else if (name == "canyon") {
      o.zones.canyon = true;
    } else if (name == "sidewall") {
      o.zones.sidewall = true;
    } else if (name == "rooftop") {
      o.zones.rooftop = true;
    } else {
      throw heddle::Error("option --zones", "'" + std::string(name) + "' is not a zone",
                          "all, none, or some of upwind,wake,canyon,sidewall,rooftop");
    }
    if (comma == rest.npos) return;
    rest.remove_prefix(comma + 1);
  }
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {"--buildings", "FILE", "table of boxes and polygons, .shp, or none (default: a small city)",
       [](Options& o, std::string_view text) {
         o.empty = text == "none";
         o.buildings = o.empty ? "" : text;
       }},
      {"--height-field", "NAME", "field of the shapefile with the heights (default H)",
       [](Options& o, std::string_view text) { o.height_field = text; }},
      {"--terrain", "FILE", ".npz, .npy or .asc elevation model (default: flat)",
       [](Options& o, std::string_view text) { o.terrain = text; }},
      {"--origin", "X,Y", "south-west corner of the domain in the elevation model, m (default 0,0)",
       [](Options& o, std::string_view text) {
         const auto v = numbers("--origin", text, 2, 0, 1e8);
         o.origin = {v[0], v[1]};
       }},
      {"--data-cell", "DX,DY", "cell size of the elevation model where the file does not say it, m",
       [](Options& o, std::string_view text) {
         const auto v = numbers("--data-cell", text, 2, 1e-6, 1e8);
         o.data_cell = {v[0], v[1]};
       }},
      {"--cells", "NX,NY,NZ", "number of cells (default 160,120,40)",
       [](Options& o, std::string_view text) {
         const auto v = numbers("--cells", text, 3, 0, 1e9);
         o.cells = {std::llround(v[0]), std::llround(v[1]), std::llround(v[2])};
       }},
      {"--cell-size", "DX,DY,DZ", "of the cells, DZ of the lowest level, m (default 4,4,4)",
       [](Options& o, std::string_view text) {
         const auto v = numbers("--cell-size", text, 3, -1e9, 1e9);
         o.cell = {v[0], v[1], v[2]};
       }},
      number_rule("--stretch", "R", "each level is thicker by this factor than the one below (default 1)",
                  -10, 10, [](Options& o, double v) { o.stretch = v; }),
      {"--sensors", "FILE", "table of times, places and winds (default: one sensor)",
       [](Options& o, std::string_view text) { o.sensors = text; }},
      number_rule("--wind", "M/S", "speed at the sensor (default 5)", 0, 1000,
                  [](Options& o, double v) { o.sensor.speed = v; }),
      number_rule("--direction", "DEG", "where the wind comes from, 0 north, 90 east (default 270)", -360,
                  360, [](Options& o, double v) { o.sensor.direction = v; }),
      number_rule("--reference", "M", "height of the sensor above the ground (default 10)", 1e-3, 1e5,
                  [](Options& o, double v) { o.sensor.height = v; }),
      choice_rule(
          "--profile", "log", "power", "log|power", "of the wind with height (default log)",
          [](Options& o, bool second) { o.sensor.profile = second ? Profile::power : Profile::logarithmic; }),
      number_rule("--shape", "V", "roughness length in m of log, exponent of power (default 0.1)", 1e-9, 10,
                  [](Options& o, double v) { o.sensor.shape = v; }),
      {"--zones", "LIST", "all, none, or of upwind,wake,canyon,sidewall,rooftop (default all)", set_zones},
      number_rule("--wall-roughness", "M", "roughness length of walls and roofs (default 0.1)", 1e-6, 10,
                  [](Options& o, double v) { o.wall_roughness = v; }),
      choice_rule("--precision", "f64", "f32", "f64|f32", "of all arithmetic (default f64)",
                  [](Options& o, bool second) { o.single = second; }),
      number_rule("--tolerance", "1/S", "largest divergence of the wind (default 1e-6; f32: 2e-4)", 0, 1e3,
                  [](Options& o, double v) { o.tolerance = v; }),
      choice_rule("--solver", "sor", "mg-pcg", "sor|mg-pcg",
                  "relaxation, or conjugate gradients with multigrid (default mg-pcg)",
                  [](Options& o, bool second) { o.multigrid = second; }),
      number_rule("--omega", "W", "over-relaxation of sor (default: the best one of an empty box)", 0.1,
                  1.999, [](Options& o, double v) { o.omega = v; }),
      number_rule("--sweeps", "N", "the most sweeps of sor at one time (default 20000)", 1, 1e9,
                  [](Options& o, double v) { o.sweeps = std::llround(v); }),
      number_rule("--iterations", "N", "the most iterations of mg-pcg at one time (default 200)", 1, 1e9,
                  [](Options& o, double v) { o.iterations = std::llround(v); }),
      {"--out", "FOLDER", "where the results go (default city_wind_output)",
       [](Options& o, std::string_view text) { o.out = text; }},
      choice_rule("--device", "cpu", "cuda", "cpu|cuda", "where the kernels run (default cpu)",
                  [](Options& o, bool second) { o.gpu = second; }),
      number_rule("--threads", "N", "CPU threads (default: all)", 1, 4096,
                  [](Options& o, double v) { o.threads = static_cast<int>(v); }),
      {"--help", "", "print this text", [](Options& o, std::string_view) { o.help = true; }},
  };
  return all;
}

/// Options of the other solver would do nothing.
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
                        "give one, or --solver sor, which then ends where rounding does");
}

} // namespace

Options parse_options(int count, const char* const* arguments) {
  Options options;
  option_rules::read(options, rules(), count, arguments);
  refuse_unused(options);
  return options;
}

std::string help_text() {
  std::string text = "city_wind: wind around buildings that conserves mass\n"
                     "usage: city_wind [options]\n";
  return text + option_rules::help_lines(rules(), 28);
}

} // namespace city_wind
