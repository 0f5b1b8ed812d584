// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "heddle/core/error.hpp"
#include "option_rules.hpp"

namespace terrain_wind {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A limit as a person writes it: 0, 0.01, 1e+09.
std::string shortly(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

/// The numbers of a comma-separated value, each within [lower, upper].
std::vector<double> numbers(std::string_view option, std::string_view text, std::size_t count, double lower,
                            double upper) {
  const auto refuse = [&] {
    std::string range = count == 1 ? "a number" : std::to_string(count) + " numbers separated by commas";
    if (std::isfinite(lower)) range += ", at least " + shortly(lower);
    if (std::isfinite(upper)) range += ", at most " + shortly(upper);
    throw heddle::Error("option " + std::string(option), "'" + std::string(text) + "' is not valid",
                        "give " + range);
  };
  std::vector<double> values;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    double value = 0;
    const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (status != std::errc{} || end != part.data() + part.size() || !(value >= lower) || !(value <= upper))
      refuse();
    values.push_back(value);
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (values.size() != count) refuse();
  return values;
}

using Rule = option_rules::Rule<Options>;

Rule number_rule(std::string_view name, std::string_view value, std::string_view help, double lower,
                 double upper, std::function<void(Options&, double)> set) {
  return {name, value, help, [=](Options& options, std::string_view text) {
            set(options, numbers(name, text, 1, lower, upper)[0]);
          }};
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {"--input", "FILE", ".npz, .npy, .asc elevation model or closed .stl, .obj mesh",
       [](Options& o, std::string_view text) { o.input = text; }},
      {"--window", "X,Y,L,W", "centre from the south-west corner, length along and width across the wind, km",
       [](Options& o, std::string_view text) {
         const auto v = numbers("--window", text, 4, 0, 1e4);
         o.centre_x = 1000 * v[0];
         o.centre_y = 1000 * v[1];
         o.length = 1000 * v[2];
         o.width = 1000 * v[3];
         o.whole = false;
       }},
      number_rule("--cell-size", "M", "size of the cubic cells (default 50)", 1e-3, 1e4,
                  [](Options& o, double v) { o.cell = v; }),
      number_rule("--wind", "M/S", "speed upstream, 100 m above the ground (default 12)", 0.1, 1e4,
                  [](Options& o, double v) { o.wind = v; }),
      number_rule("--reference", "M", "height to which --wind refers (default 100)", 0.01, 1e4,
                  [](Options& o, double v) { o.reference = v; }),
      number_rule("--direction", "DEG", "where the wind comes from, 0 north, 90 east (default 270)", -360,
                  360, [](Options& o, double v) { o.direction = v; }),
      number_rule("--roughness", "M", "roughness length of the inflow's logarithmic profile (default 1)",
                  1e-6, 10, [](Options& o, double v) { o.roughness = v; }),
      number_rule("--height", "M", "air above the highest ground (default 1500)", 1e-2, 1e5,
                  [](Options& o, double v) { o.height = v; }),
      number_rule("--duration", "S", "simulated time (default: one passage of the air)", 1e-3, 1e9,
                  [](Options& o, double v) { o.duration = v; }),
      number_rule("--steps", "N", "number of steps instead of a duration", 2, 1e9,
                  [](Options& o, double v) { o.steps = std::llround(v); }),
      number_rule("--time-step", "S", "length of a step (default: from the stability limit)", 1e-9, 1e6,
                  [](Options& o, double v) { o.time_step = v; }),
      {"--data-cell", "DX,DY", "cell size of the elevation model where the file does not say it, m",
       [](Options& o, std::string_view text) {
         const auto v = numbers("--data-cell", text, 2, 1e-6, infinity);
         o.data_cell = {v[0], v[1]};
       }},
      {"--out", "FOLDER", "where the results go (default terrain_wind_output)",
       [](Options& o, std::string_view text) { o.out = text; }},
      number_rule("--frames", "N", "files of the .pvd series (default 4)", 1, 10000,
                  [](Options& o, double v) { o.frames = static_cast<int>(v); }),
      number_rule("--checkpoint-every", "N",
                  "steps between checkpoints in the folder `checkpoint` of --out (default: none)", 20, 1e9,
                  [](Options& o, double v) { o.checkpoint_every = std::llround(v); }),
      {"--resume", "last|N",
       "go on from the newest checkpoint, or from that of step N, with the options of that run",
       [](Options& o, std::string_view text) {
         o.resume = text == "last" ? -1 : std::llround(numbers("--resume", text, 1, 0, 1e15)[0]);
       }},
      {"--device", "cpu|cuda", "where the kernels run (default cpu)",
       [](Options& o, std::string_view text) {
         if (text != "cpu" && text != "cuda")
           throw heddle::Error("option --device", "'" + std::string(text) + "' is not valid",
                               "give cpu or cuda");
         o.gpu = text == "cuda";
       }},
      number_rule("--threads", "N", "CPU threads (default: all)", 1, 4096,
                  [](Options& o, double v) { o.threads = static_cast<int>(v); }),
      {"--no-picture", "", "leave wind.png out", [](Options& o, std::string_view) { o.picture = false; }},
      {"--help", "", "print this text", [](Options& o, std::string_view) { o.help = true; }},
  };
  return all;
}

} // namespace

Options parse_options(int count, const char* const* arguments) {
  Options options;
  options.whole = true; // until a window is given
  option_rules::read(options, rules(), count, arguments);
  if (options.steps && options.duration)
    throw heddle::Error("command line", "both --steps and --duration are given", "give one of them");
  options.whole = options.whole && !options.input.empty();
  return options;
}

std::string help_text() {
  std::string text = "terrain_wind: wind over real terrain by a sparse D3Q19 lattice Boltzmann method\n"
                     "usage: terrain_wind [options]\n";
  return text + option_rules::help_lines(rules(), 24);
}

} // namespace terrain_wind
