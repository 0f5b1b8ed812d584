// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "heddle/plot/contour.hpp"
#include "heddle/plot/figure.hpp"
#include "heddle/plot/oblique.hpp"
#include "heddle/plot/relief.hpp"
#include "heddle/plot/streamline.hpp"

namespace terrain_wind {
namespace {

using namespace heddle::plot;

const Colour paper{0.985, 0.98, 0.97};
const Colour ink{0.13, 0.15, 0.18};
const Colour rock{0.22, 0.20, 0.19};
constexpr double small = 17;

/// For the lines of the oblique view: no end as pale as the paper or as dark as the rock.
const ColourMap& line_colours() {
  static const ColourMap map(0.30, 0.88, {{300, 0.13}, {345, 0.18}, {385, 0.20}, {420, 0.17}, {455, 0.15}});
  return map;
}

TextStyle plain(double size) {
  return {.size = size, .colour = ink};
}

TextStyle bold(double size) {
  return {.size = size, .colour = ink, .bold = true};
}

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// The speed below which the fraction `part` of the plane lies: colour ranges that one outlier does not
/// spoil.
double quantile(const Plane& plane, double part) {
  std::vector<double> values;
  for (const double value : plane.values)
    if (std::isfinite(value)) values.push_back(value);
  if (values.empty()) return 1;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

/// Highest point of the inner part of the window.
Vec2 summit(const Plane& relief) {
  Vec2 best{};
  double highest = -1e300;
  for (std::int64_t j = relief.ny / 5; j < relief.ny - relief.ny / 5; ++j)
    for (std::int64_t i = relief.nx / 4; i < relief.nx - relief.nx / 4; ++i)
      if (relief.at(i, j) > highest) {
        highest = relief.at(i, j);
        best = {static_cast<double>(i) * relief.dx, static_cast<double>(j) * relief.dy};
      }
  return best;
}

/// Light from the upper left of a map; from the viewer's left in the oblique view.
Plane lit(const Plane& relief) {
  return hillshade(relief, {.azimuth = 2.2, .altitude = 0.75, .exaggeration = 1.6});
}

void draw_oblique(Figure& figure, const Rect& area, const Flow& flow, const Range& speeds) {
  constexpr double exaggeration = 2;
  const double length = flow.length();
  const double width = flow.width();
  const double size = std::max(length, 1.6 * width);
  const auto nx = static_cast<std::int64_t>(700);
  const auto ny = std::max<std::int64_t>(60, std::llround(700 * width / length));
  const Plane relief = flow.relief(nx, ny);
  const Plane light = lit(relief);
  const Range heights = range_of(relief);
  const double floor = heights.lower - 0.12 * (heights.upper - heights.lower);

  Oblique view(static_cast<int>(area.width), static_cast<int>(area.height),
               {.target = {length / 2, 0.47 * width,
                           exaggeration * (heights.lower + 0.35 * (heights.upper - heights.lower))},
                .azimuth = -0.5 * std::numbers::pi - 0.22,
                .elevation = 0.50,
                .distance = 1.75 * size,
                .view = 0.58});
  const auto place = [&](double x, double y, double z) { return Vec3{x, y, exaggeration * z}; };
  view.sheet(
      nx, ny,
      [&](std::int64_t i, std::int64_t j) {
        return place(static_cast<double>(i) * relief.dx, static_cast<double>(j) * relief.dy, relief.at(i, j));
      },
      [&](std::int64_t i, std::int64_t j) {
        return shade(ColourMap::terrain()(0.95 * heights.fraction(relief.at(i, j))),
                     0.40 + 0.82 * light.at(i, j));
      });
  // The cut faces of the block, darker downwards.
  const auto wall = [&](std::int64_t count, auto point) {
    view.sheet(
        count, 2, [&](std::int64_t n, std::int64_t k) { return point(n, k == 0); },
        [&](std::int64_t, std::int64_t k) { return shade(rock, k == 0 ? 1.0 : 1.7); });
  };
  for (const std::int64_t j : {std::int64_t{0}, ny - 1})
    wall(nx, [&](std::int64_t i, bool low) {
      return place(static_cast<double>(i) * relief.dx, static_cast<double>(j) * relief.dy,
                   low ? floor : relief.at(i, j));
    });
  for (const std::int64_t i : {std::int64_t{0}, nx - 1})
    wall(ny, [&](std::int64_t j, bool low) {
      return place(static_cast<double>(i) * relief.dx, static_cast<double>(j) * relief.dy,
                   low ? floor : relief.at(i, j));
    });
  figure.image({area.left, area.top}, view.raster());

  // Streamlines, the far ones first.
  std::vector<std::vector<Vec3>> paths;
  struct Rake {
    double above; // m over the ground at the upstream edge
    int count;
    double shift; // of the first line, in distances between lines
  };
  for (const Rake& rake : {Rake{50, 44, 0.5}, Rake{130, 34, 0.25}, Rake{260, 26, 0.8}})
    for (int n = 0; n < rake.count; ++n) {
      const double y = width * (n + rake.shift) / rake.count;
      paths.push_back(flow.path({1, y, flow.ground(1, y) + rake.above}, flow.domain().cell / 3));
    }
  std::sort(paths.begin(), paths.end(),
            [](const auto& a, const auto& b) { return a.front()[1] > b.front()[1]; });
  const double tolerance = 0.01 * size;
  const auto pixel = [&](const Vec3& p) {
    const std::optional<Vec2> at = view.project(place(p[0], p[1], p[2]));
    return at ? Vec2{area.left + at->x, area.top + at->y} : Vec2{};
  };
  for (const auto& path : paths) {
    // A soft dark edge under each visible stretch, then the line itself, coloured piece by piece.
    Polyline stretch;
    const auto edge = [&] {
      if (stretch.size() > 1) figure.line(stretch, {{0.05, 0.06, 0.10, 0.22}, 3.6, {}});
      stretch.clear();
    };
    std::vector<bool> shown(path.size());
    for (std::size_t n = 0; n < path.size(); ++n) {
      shown[n] = view.visible(place(path[n][0], path[n][1], path[n][2]), tolerance);
      if (shown[n])
        stretch.push_back(pixel(path[n]));
      else
        edge();
    }
    edge();
    for (std::size_t n = 1; n < path.size(); ++n) {
      if (!shown[n] || !shown[n - 1]) continue;
      const Vec3 v = flow.at(path[n][0], path[n][1], path[n][2]);
      const Colour colour = line_colours()(speeds.fraction(std::hypot(v[0], v[1], v[2])));
      figure.line({pixel(path[n - 1]), pixel(path[n])}, {colour, 1.7, {}});
    }
  }
}

void draw_map(Figure& figure, const Rect& area, const Flow& flow, const Options& options, const Range& speeds,
              const Plane& speed, Vec2 through) {
  const Plane relief = flow.relief(600, std::llround(600 * flow.width() / flow.length()));
  const Plane light = lit(relief);
  Panel panel(figure, area, {0, flow.length() / 1000}, {0, flow.width() / 1000});
  panel.paint([&](double x, double y) {
    return shade(ColourMap::wind()(speeds.fraction(speed.cubic(1000 * x, 1000 * y))),
                 0.42 + 0.85 * light.cubic(1000 * x, 1000 * y));
  });
  const auto kilometres = [](std::vector<Polyline> lines) {
    for (Polyline& line : lines)
      for (Vec2& point : line)
        point = {point.x / 1000, point.y / 1000};
    return lines;
  };
  const Range heights = range_of(relief);
  const double interval = heights.upper - heights.lower > 300 ? 100 : 20;
  for (double level = std::ceil(heights.lower / interval) * interval; level < heights.upper;
       level += interval)
    panel.lines(kilometres(contour_lines(relief, level)), {{0, 0, 0, 0.22}, 0.8, {}});
  const Plane u = flow.above_ground(0, options.reference);
  const Plane v = flow.above_ground(1, options.reference);
  panel.flow_lines(
      kilometres(streamlines(u, v, {.separation = flow.length() / 42, .shortest = 2.5, .still_speed = 0.1})),
      {{1, 1, 1, 0.80}, 1.5, {}}, 150, 11);
  const auto cut = [&](Vec2 a, Vec2 b, const char* from, const char* to) {
    panel.line({a, b}, {{0, 0, 0, 0.9}, 2, {9, 6}});
    TextStyle letter = bold(22);
    letter.anchor = Anchor::centre;
    letter.halo = 3;
    const double dx = 0.018 * (b.x - a.x);
    const double dy = 0.026 * (b.y - a.y);
    panel.text({a.x + dx, a.y + dy}, from, letter);
    panel.text({b.x - dx, b.y - dy}, to, letter);
  };
  cut({0, through.y / 1000}, {flow.length() / 1000, through.y / 1000}, "A", "B");
  cut({through.x / 1000, 0}, {through.x / 1000, flow.width() / 1000}, "C", "D");
  panel.axes("along the wind, km", "across the wind, km", plain(small), 8, 6);

  // North arrow, turned with the window.
  const Vec2 at{area.left + area.width - 38, area.top + 44};
  const double turn = std::numbers::pi / 2 - flow.domain().angle;
  const Vec2 north{std::cos(turn), -std::sin(turn)};
  const Vec2 side{-north.y, north.x};
  const auto point = [&](double along, double across) {
    return Vec2{at.x + along * north.x + across * side.x, at.y + along * north.y + across * side.y};
  };
  figure.polygon({point(22, 0), point(-14, 11), point(-7, 0), point(-14, -11)}, {1, 1, 1, 0.95});
  TextStyle letter = bold(16);
  letter.anchor = Anchor::centre;
  letter.colour = {1, 1, 1};
  figure.text(point(-26, 0), "N", letter);
}

void draw_section(Figure& figure, const Rect& area, const Flow& flow, const Range& speeds, Vec2 from, Vec2 to,
                  const std::string& name) {
  const double distance = std::hypot(to.x - from.x, to.y - from.y) / 1000;
  const Plane speed = flow.section(3, from, to);
  const Domain& domain = flow.domain();
  const double lowest = domain.bottom;
  const double top = std::min(domain.top(), lowest + 0.72 * (domain.top() - lowest));
  Panel panel(figure, area, {0, distance}, {lowest, top});
  const auto ground = [&](double s) {
    const double part = 1000 * s / (1000 * distance);
    return flow.ground(from.x + part * (to.x - from.x), from.y + part * (to.y - from.y));
  };
  panel.paint([&](double s, double z) {
    const double part = s / distance;
    const Vec3 v = flow.at(from.x + part * (to.x - from.x), from.y + part * (to.y - from.y), z);
    return ColourMap::wind()(speeds.fraction(std::hypot(v[0], v[1], v[2])));
  });
  // Streamlines of the flow in the plane, in units in which the panel is not distorted.
  const double stretch = (top - lowest) / area.height / (1000 * distance / area.width);
  Plane u = flow.section(0, from, to);
  Plane w = flow.section(2, from, to);
  for (Plane* plane : {&u, &w}) {
    plane->dy /= stretch;
    plane->y0 /= stretch;
  }
  for (double& value : w.values)
    value /= stretch;
  auto lines =
      streamlines(u, w, {.separation = 1000 * distance / area.width * 24, .shortest = 3, .still_speed = 0.1});
  for (Polyline& line : lines)
    for (Vec2& point : line)
      point = {point.x / 1000, point.y * stretch};
  panel.flow_lines(lines, {{1, 1, 1, 0.55}, 1.2, {}}, 190, 10);
  Polyline silhouette;
  constexpr int points = 800;
  for (int n = 0; n <= points; ++n)
    silhouette.push_back({distance * n / points, ground(distance * n / points)});
  const Polyline ridge = silhouette;
  silhouette.push_back({distance, lowest - 100});
  silhouette.push_back({0, lowest - 100});
  panel.polygon(silhouette, rock);
  panel.line(ridge, {{1, 1, 1, 0.9}, 1.6, {}});
  panel.axes("", "height, m", plain(small), 8, 4);
  TextStyle letter = bold(20);
  letter.halo = 3;
  letter.anchor = Anchor::left;
  figure.text({area.left + 10, area.top + 18}, name.substr(0, 1), letter);
  letter.anchor = Anchor::right;
  figure.text({area.left + area.width - 10, area.top + 18}, name.substr(1, 1), letter);
}

} // namespace

void draw_picture(const Flow& flow, const Options& options, const Caption& caption,
                  const std::filesystem::path& file) {
  Figure figure(2000, 1590, paper);
  figure.text({60, 58}, caption.title, bold(38));
  figure.text({60, 104}, caption.subtitle, plain(19));

  const Plane relief = flow.relief(std::llround(flow.length() / flow.domain().cell),
                                   std::llround(flow.width() / flow.domain().cell));
  const Vec2 through = summit(relief);
  const Plane speed = flow.above_ground(3, options.reference);
  const Range map_speeds{0, std::ceil(quantile(speed, 0.998))};
  const Range section_speeds{
      0, std::ceil(quantile(flow.section(3, {0, through.y}, {flow.length(), through.y}), 0.995))};

  draw_oblique(figure, {30, 118, 1940, 660}, flow, map_speeds);
  figure.colour_bar({1895, 150, 18, 190}, line_colours(), map_speeds, "m/s", plain(small));
  TextStyle note = plain(small);
  note.anchor = Anchor::right;
  figure.text({1960, 790}, "Streamlines of the mean wind. Heights are drawn twice as steep.", note);

  const double map_width = 900;
  const double map_height = std::min(640.0, map_width * flow.width() / flow.length());
  const double map_top = 850;
  figure.text({90, map_top - 28}, "Mean wind speed " + number(options.reference, 0) + " m above the ground",
              bold(22));
  draw_map(figure, {90, map_top, map_width, map_height}, flow, options, map_speeds, speed, through);
  figure.colour_bar({1010, map_top + 40, 18, map_height - 40}, ColourMap::wind(), map_speeds, "m/s",
                    plain(small));

  const double section_height = (map_height - 70) / 2;
  figure.text({1180, map_top - 28}, "Sections along and across the wind", bold(22));
  draw_section(figure, {1180, map_top, 690, section_height}, flow, section_speeds, {0, through.y},
               {flow.length(), through.y}, "AB");
  draw_section(figure, {1180, map_top + map_height - section_height, 690, section_height}, flow,
               section_speeds, {through.x, 0}, {through.x, flow.width()}, "CD");
  TextStyle label = plain(small);
  label.anchor = Anchor::centre;
  figure.text({1525, map_top + map_height + 48}, "km", label);
  figure.colour_bar({1895, map_top + 40, 18, map_height - 40}, ColourMap::wind(), section_speeds, "m/s",
                    plain(small));
  figure.save_png(file);
}

} // namespace terrain_wind
