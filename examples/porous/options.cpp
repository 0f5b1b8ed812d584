// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

#include "heddle/core/error.hpp"
#include "option_rules.hpp"

namespace porous {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view text, const std::string& hint) {
  throw heddle::Error("option " + std::string(option), "'" + std::string(text) + "' is not valid", hint);
}

double number(std::string_view option, std::string_view text, double lower, double upper) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !(value >= lower) || !(value <= upper)) {
    char range[96];
    std::snprintf(range, sizeof range, "a number from %g to %g", lower, upper);
    refuse(option, text, range);
  }
  return value;
}

using Rule = option_rules::Rule<Options>;

Rule number_rule(std::string_view name, std::string_view value, std::string_view help, double lower,
                 double upper, std::function<void(Options&, double)> set) {
  return {name, value, help,
          [=](Options& options, std::string_view text) { set(options, number(name, text, lower, upper)); }};
}

/// One of some words; its number.
Rule word_rule(std::string_view name, std::vector<std::string_view> words, std::string_view help,
               std::function<void(Options&, int)> set, std::string_view shown) {
  return {name, shown, help, [=](Options& options, std::string_view text) {
            for (std::size_t i = 0; i < words.size(); ++i)
              if (words[i] == text) return set(options, static_cast<int>(i));
            refuse(name, text, "give " + std::string(shown));
          }};
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {"--array", "NAME", "array of an .npz, .vti or .vtk file (default: the only one that fits)",
       [](Options& o, std::string_view text) { o.reading.array = text; }},
      {"--size", "NX,NY,NZ", "voxels of a .raw file, one byte each, x fastest",
       [](Options& o, std::string_view text) {
         std::string_view rest = text;
         for (std::size_t d = 0; d < 3; ++d) {
           const std::size_t comma = d < 2 ? rest.find(',') : rest.size();
           if (comma == rest.npos) refuse("--size", text, "three numbers separated by commas");
           o.reading.size[d] = std::llround(number("--size", rest.substr(0, comma), 1, 1e5));
           rest.remove_prefix(std::min(comma + 1, rest.size()));
         }
       }},
      number_rule("--pore", "VALUE", "voxels of an image with this value are pores (default 1)", -1e300,
                  1e300, [](Options& o, double v) { o.reading.pore_value = v; }),
      number_rule("--layers", "N", "open layers before and behind an image (default 4)", 1, 1000,
                  [](Options& o, double v) { o.layers = std::llround(v); }),
      word_rule(
          "--packing", {"random", "cubic"}, "spheres at random places, or one in a cube (default random)",
          [](Options& o, int v) { o.cubic = v == 1; }, "random|cubic"),
      number_rule("--edge", "N", "voxels along an edge of the packing's cube (default 100)", 4, 4096,
                  [](Options& o, double v) { o.edge = std::llround(v); }),
      number_rule("--diameter", "D", "of its spheres, in voxels (default 20)", 2, 4096,
                  [](Options& o, double v) { o.diameter = v; }),
      number_rule("--porosity", "P", "of a random packing (default 0.4)", 0.3, 0.95,
                  [](Options& o, double v) { o.porosity = v; }),
      number_rule("--seed", "N", "of a random packing (default 1)", 0, 4e9,
                  [](Options& o, double v) { o.seed = static_cast<unsigned>(v); }),
      word_rule(
          "--axis", {"x", "y", "z"}, "of the flow (default x)", [](Options& o, int v) { o.drive.axis = v; },
          "x|y|z"),
      number_rule("--viscosity", "V", "lattice units (default 1/6)", 1e-3, 2,
                  [](Options& o, double v) { o.drive.viscosity = v; }),
      number_rule("--force", "G", "lattice units, a volume (default 1e-6)", 1e-12, 1e-2,
                  [](Options& o, double v) { o.drive.force = v; }),
      number_rule("--tolerance", "T", "relative change of the flux in 100 steps at the end (default 1e-5)",
                  1e-12, 1, [](Options& o, double v) { o.tolerance = v; }),
      number_rule("--steps", "N", "at most (default 100000)", 2, 1e9,
                  [](Options& o, double v) { o.steps = 2 * std::llround(v / 2); }),
      number_rule("--voxel-size", "M", "metres; the permeability is then printed in m^2 and millidarcy",
                  1e-12, 1e3, [](Options& o, double v) { o.voxel_size = v; }),
      word_rule(
          "--precision", {"f32", "f64"}, "(default f32)", [](Options& o, int v) { o.doubles = v == 1; },
          "f32|f64"),
      {"--compare", "", "instead of a flow: what dense and sparse kernels cost at porosities from 0.3 to 1",
       [](Options& o, std::string_view) { o.compare = true; }},
      word_rule(
          "--device", {"cpu", "cuda"}, "where the kernels run (default cpu)",
          [](Options& o, int v) { o.gpu = v == 1; }, "cpu|cuda"),
      number_rule("--threads", "N", "CPU threads (default: all)", 1, 4096,
                  [](Options& o, double v) { o.threads = static_cast<int>(v); }),
      {"--out", "FOLDER", "where the results go (default porous_output)",
       [](Options& o, std::string_view text) { o.out = text; }},
      {"--help", "", "print this text", [](Options& o, std::string_view) { o.help = true; }},
  };
  return all;
}

/// Options that say what an image is are wrong beside a packing, and the other way round: neither may be
/// passed over in silence.
void require_all_used(const Options& options, int count, const char* const* arguments) {
  constexpr std::array<std::string_view, 4> of_an_image{"--array", "--size", "--pore", "--layers"};
  constexpr std::array<std::string_view, 5> of_a_packing{"--packing", "--edge", "--diameter", "--porosity",
                                                         "--seed"};
  const bool image = !options.image.empty();
  if (image && options.compare)
    throw heddle::Error("option --compare", "it measures packings of spheres, not an image", "leave out one");
  for (int i = 1; i < count; ++i) {
    const std::string name(
        std::string_view(arguments[i]).substr(0, std::string_view(arguments[i]).find('=')));
    if (image && std::ranges::find(of_a_packing, name) != of_a_packing.end())
      throw heddle::Error("option " + name, "it belongs to a packing, and an image is given",
                          "leave out one");
    if (!image && std::ranges::find(of_an_image, name) != of_an_image.end())
      throw heddle::Error("option " + name, "it belongs to an image, and none is given",
                          "name the image's file");
  }
}

} // namespace

Options parse_options(int count, const char* const* arguments) {
  Options options;
  option_rules::read(options, rules(), count, arguments, [&](std::string_view image) {
    if (!options.image.empty())
      throw heddle::Error("command line",
                          "there are two images, '" + options.image.string() + "' and '" +
                              std::string(image) + "'",
                          "give one");
    options.image = image;
  });
  require_all_used(options, count, arguments);
  return options;
}

std::string help_text() {
  std::string text =
      "porous: permeability of a porous medium by a D3Q19 lattice Boltzmann method on its pores\n"
      "usage: porous [IMAGE] [options]\n"
      "IMAGE: voxels in an .npz, .npy, .raw, .vti or .vtk file; without one, a packing of spheres.\n";
  return text + option_rules::help_lines(rules(), 28);
}

} // namespace porous
