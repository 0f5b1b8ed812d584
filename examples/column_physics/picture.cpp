// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "heddle/plot/colour_map.hpp"
#include "heddle/plot/contour.hpp"
#include "heddle/plot/figure.hpp"
#include "heddle/plot/plane.hpp"

namespace front {
namespace {

using namespace heddle::plot;

constexpr double km = 1000, section_top = 14, points_per_km = 4; // of the section
const Colour paper{0.985, 0.98, 0.97}, ink{0.13, 0.15, 0.18};

/// Light for little, dark for much.
Colour rain_colour(double part) {
  static const ColourMap map(0.28, 0.985, {{310, 0.16}, {285, 0.17}, {255, 0.16}, {225, 0.11}, {200, 0.02}});
  return map(1 - part);
}

/// A round number not below it: 1, 2, 3 or 5 times a power of ten.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(std::max(value, 1e-3))));
  for (const double step : {1.0, 2.0, 3.0, 5.0})
    if (step * power >= value) return step * power;
  return 10 * power;
}

/// Values of levels along x at row j, on even heights.
Plane section(const std::vector<float>& cells, const Options& options, const Levels& levels, std::int64_t j) {
  const auto [n_x, n_y, n_z] = options.size;
  Plane plane{n_x,
              static_cast<std::int64_t>(section_top * points_per_km) + 1,
              options.spacing / 2 / km,
              0,
              options.spacing / km,
              1 / points_per_km,
              {}};
  for (std::int64_t n = 0; n < plane.ny; ++n) {
    const double z = static_cast<double>(n) / points_per_km * km;
    const auto above =
        std::upper_bound(levels.height.begin(), levels.height.end(), z) - levels.height.begin();
    const auto k = std::clamp<std::int64_t>(above, 1, n_z - 1);
    const double low = levels.height[static_cast<std::size_t>(k - 1)],
                 high = levels.height[static_cast<std::size_t>(k)];
    const double part = std::clamp((z - low) / (high - low), 0.0, 1.0);
    for (std::int64_t i = 0; i < n_x; ++i) {
      const auto value = [&](std::int64_t level) {
        return static_cast<double>(cells[static_cast<std::size_t>(i + n_x * (j + n_y * level))]);
      };
      plane.values.push_back(value(k - 1) + part * (value(k) - value(k - 1)));
    }
  }
  return plane;
}

void draw_map(Figure& figure, const Rect& area, const Plane& rain, double most, double row,
              const Options& options) {
  const double length = options.spacing * static_cast<double>(options.size[0]) / km;
  const double breadth = options.spacing * static_cast<double>(options.size[1]) / km;
  Panel panel(figure, area, {0, length}, {0, breadth});
  panel.paint([&](double x, double y) { return rain_colour(std::max(rain.cubic(x, y), 0.0) / most); });
  panel.line({{0, row}, {length, row}}, {.colour = ink, .width = 1.4, .dashes = {7, 5}});
  panel.text({length - 2, row + breadth / 30}, "section",
             {.size = 13, .colour = ink, .anchor = Anchor::right});
  panel.axes("km east", "km north", {.size = 14, .colour = ink});
  figure.colour_bar({area.left + area.width + 22, area.top + 40, 16, area.height - 40},
                    ColourMap(0.985, 0.28, {{200, 0.02}, {225, 0.11}, {255, 0.16}, {285, 0.17}, {310, 0.16}}),
                    {0, most}, "mm", {.size = 14, .colour = ink});
}

void draw_section(Figure& figure, const Rect& area, const Snapshot& s, const Options& options,
                  const Levels& levels, std::int64_t j) {
  const Plane cloud = section(s.cloud, options, levels, j), water = section(s.water, options, levels, j);
  const Plane theta = section(s.theta, options, levels, j);
  Plane celsius = theta;
  Sounding even;
  even.height = levels.height;
  for (std::int64_t n = 0; n < celsius.ny; ++n)
    for (std::int64_t i = 0; i < celsius.nx; ++i)
      celsius.at(i, n) =
          celsius.at(i, n) * even.at(levels.exner, static_cast<double>(n) / points_per_km * km) - 273.15;
  const double length = options.spacing * static_cast<double>(options.size[0]) / km;
  Panel panel(figure, area, {0, length}, {0, section_top});
  panel.paint([&](double x, double z) {
    const double thick = 1 - std::exp(-std::max(cloud.cubic(x, z), 0.0) / 1e-4);
    const double wet = 1 - std::exp(-std::max(water.cubic(x, z), 0.0) / 6e-4);
    const Colour sky = mix({0.80, 0.88, 0.96}, {0.33, 0.53, 0.78}, z / section_top);
    const Colour clouded = mix(sky, {1, 1, 1}, thick);
    return mix(clouded, celsius.linear(x, z) < 0 ? Colour{0.45, 0.34, 0.66} : Colour{0.05, 0.22, 0.52},
               0.85 * wet);
  });
  for (double t = 300; t < 400; t += 5)
    panel.lines(contour_lines(theta, t), {.colour = {0.13, 0.15, 0.18, 0.35}, .width = 0.8});
  panel.lines(contour_lines(celsius, 0), {.colour = {0.75, 0.15, 0.1}, .width = 1.8, .dashes = {8, 4}});
  for (std::int64_t n = 1; n < celsius.ny; ++n) { // beside the line, where it enters
    if (celsius.at(0, n - 1) < 0 || celsius.at(0, n) >= 0) continue;
    panel.text({2, static_cast<double>(n) / points_per_km + 0.4},
               "0 \xC2\xB0"
               "C",
               {.size = 13, .colour = {0.75, 0.15, 0.1}});
    break;
  }
  panel.axes("km east", "km above the ground", {.size = 14, .colour = ink});
}

} // namespace

void draw(const Snapshot& s, const Options& options, const Levels& levels, const std::string& subtitle,
          const std::filesystem::path& file) {
  const auto [n_x, n_y, n_z] = options.size;
  const double cell = options.spacing / km;
  const Plane rain{
      n_x, n_y, cell / 2, cell / 2, cell, cell, std::vector<double>(s.rain.begin(), s.rain.end())};
  const auto wettest = std::max_element(rain.values.begin(), rain.values.end()) - rain.values.begin();
  const std::int64_t j = wettest / n_x;
  const double width = 520,
               height = std::clamp(width * static_cast<double>(n_y) / static_cast<double>(n_x), 250.0, 520.0);
  Figure figure(1270, static_cast<int>(height) + 190, paper);
  figure.text({70, 34}, "A front passes: rain, clouds and snow", {.size = 24, .colour = ink, .bold = true});
  figure.text({70, 64}, subtitle, {.size = 14, .colour = ink});
  figure.text({70, 102}, "Rain that fell", {.size = 16, .colour = ink, .bold = true});
  figure.text({750, 102}, "Section", {.size = 16, .colour = ink, .bold = true});
  figure.text({830, 102}, "cloud white, rain blue, snow violet; lines of theta, 5 K apart",
              {.size = 13, .colour = ink});
  const Rect map{70, 120, width, height};
  draw_map(figure, map, rain, round_up(static_cast<double>(*std::max_element(s.rain.begin(), s.rain.end()))),
           (static_cast<double>(j) + 0.5) * cell, options);
  draw_section(figure, {750, 120, 490, height}, s, options, levels, j); // beside the numbers of the bar
  figure.save_png(file);
}

} // namespace front
