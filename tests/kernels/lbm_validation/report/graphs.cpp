// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "heddle/plot/figure.hpp"
#include "report.hpp"

namespace validation {
namespace {

using namespace heddle::plot;

constexpr Colour ink{0.13, 0.15, 0.18};
constexpr std::array<Colour, 4> colours{
    {{0.12, 0.35, 0.62}, {0.80, 0.33, 0.12}, {0.20, 0.55, 0.30}, {0.52, 0.25, 0.58}}};
constexpr int columns = 3;
constexpr double width = 520, height = 430;
constexpr double beside = 15; // pixels that a title may be wider than its panel

/// The smallest range that holds all values, and a margin.
Range range(const Graph& graph, bool vertical) {
  double lower = 1e300, upper = -1e300;
  for (const Curve& curve : graph.curves) {
    for (const double value : vertical ? curve.y : curve.x)
      lower = std::min(lower, value), upper = std::max(upper, value);
  }
  // of a single point its surroundings
  const double margin = upper > lower ? 0.06 * (upper - lower) : std::max(0.5, 0.1 * std::abs(upper));
  return {lower - margin, upper + margin};
}

void draw_points(Panel& panel, const Curve& curve, const Colour& colour, Figure& figure) {
  constexpr double size = 3.5; // pixels
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const Vec2 at = panel.pixel({curve.x[i], curve.y[i]});
    figure.polygon({{at.x - size, at.y}, {at.x, at.y - size}, {at.x + size, at.y}, {at.x, at.y + size}},
                   colour);
  }
}

void draw(Figure& figure, const Rect& area, const Graph& graph) {
  Panel panel(figure, area, range(graph, false), range(graph, true));
  panel.axes(graph.x_label, graph.y_label, {.size = 13, .colour = ink});
  const TextStyle heading{.size = 15, .colour = ink, .bold = true};
  const std::vector<std::string> title = figure.lines(graph.title, heading, area.width + beside);
  double above = area.top - 16 - 19 * (static_cast<double>(title.size()) - 1);
  for (const std::string& line : title) {
    figure.text({area.left, above}, line, heading);
    above += 19;
  }
  // unnamed curves come in pairs, exact and computed
  double key = area.top + 14;
  for (std::size_t i = 0; i < graph.curves.size(); ++i) {
    const Curve& curve = graph.curves[i];
    const Colour& colour = colours[curve.name.empty() ? i / 2 % colours.size() : i % colours.size()];
    if (curve.points) {
      draw_points(panel, curve, colour, figure);
    } else {
      Polyline line;
      for (std::size_t j = 0; j < curve.x.size(); ++j)
        line.push_back({curve.x[j], curve.y[j]});
      panel.line(line, {.colour = colour, .width = 1.8});
    }
    if (curve.name.empty()) continue;
    figure.text({area.left + area.width - 10, key}, curve.name,
                {.size = 13, .colour = colour, .anchor = Anchor::right, .halo = 3});
    key += 17;
  }
}

} // namespace

void draw(const std::vector<Graph>& graphs, const std::filesystem::path& path) {
  const int rows = std::max(1, (static_cast<int>(graphs.size()) + columns - 1) / columns);
  Figure figure(static_cast<int>(columns * width), static_cast<int>(rows * height), {0.985, 0.98, 0.97});
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const double left = static_cast<double>(i % columns) * width,
                 top = static_cast<double>(i / columns) * height;
    draw(figure, {left + 75, top + 75, width - 100, height - 135}, graphs[i]);
  }
  figure.save_png(path);
}

} // namespace validation
