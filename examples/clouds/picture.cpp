// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "heddle/plot/figure.hpp"
#include "heddle/plot/ticks.hpp"

namespace clouds {
namespace {

using namespace heddle::plot;

const Colour ink{0.13, 0.15, 0.18}, paper{0.985, 0.98, 0.97}, blue{0.10, 0.35, 0.65}, red{0.75, 0.22, 0.12},
    grey{0.62, 0.63, 0.65};
constexpr double km = 1000, seconds_per_hour = 3600;

/// A curve; points that are not finite part it.
struct Curve {
  Polyline points;
  Colour colour;
  const char* label = "";
};

Range range_of(const std::vector<Curve>& curves, bool of_x) {
  double least = INFINITY, most = -INFINITY;
  for (const Curve& curve : curves)
    for (const Vec2& point : curve.points) {
      const double value = of_x ? point.x : point.y;
      if (!std::isfinite(value)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
  if (!(least < most)) return {least - 1, least + 1};
  const double room = 0.04 * (most - least);
  return {least - room, most + room};
}

/// Curves in a frame, with a title and the labels of the curves.
void draw_curves(Figure& figure, const Rect& area, const std::string& title, const std::vector<Curve>& curves,
                 Range x, Range y, const std::string& x_label, const std::string& y_label) {
  const bool labelled = std::ranges::any_of(curves, [](const Curve& curve) { return *curve.label != 0; });
  figure.text({area.left, area.top - (labelled ? 34 : 14)}, title, {.size = 15, .colour = ink, .bold = true});
  Panel panel(figure, area, x, y);
  double at = area.left; // labels stand side by side above the frame, where no curve runs
  for (const Curve& curve : curves) {
    Polyline piece;
    const auto end = [&] {
      if (piece.size() > 1) panel.line(piece, {.colour = curve.colour, .width = 2});
      piece.clear();
    };
    for (const Vec2& point : curve.points)
      if (std::isfinite(point.x) && std::isfinite(point.y))
        piece.push_back(point);
      else
        end();
    end();
    if (*curve.label == 0) continue;
    const TextStyle style{.size = 13, .colour = curve.colour, .bold = true};
    figure.text({at, area.top - 13}, curve.label, style);
    at += figure.text_width(curve.label, style) + 16;
  }
  panel.axes(x_label, y_label, {.size = 13, .colour = ink}, 4, 5);
}

Curve over_time(const History& history, series::Name name, double factor, const Colour& colour,
                const char* label = "") {
  Curve curve{{}, colour, label};
  for (const Sample& sample : history.samples())
    curve.points.push_back({sample.time / seconds_per_hour, factor * sample.numbers[name]});
  return curve;
}

Curve profile(const std::vector<double>& values, const std::vector<double>& heights, double factor,
              const Colour& colour, const char* label = "") {
  Curve curve{{}, colour, label};
  for (std::size_t k = 0; k < std::min(values.size(), heights.size()); ++k)
    curve.points.push_back({factor * values[k], heights[k] / km});
  return curve;
}

std::vector<double> together(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a);
  for (std::size_t k = 0; k < a.size(); ++k)
    result[k] += b[k];
  return result;
}

/// The row of cells along x whose section shows most: cloud water, or the strongest ascent.
std::int64_t best_row(const Snapshot& s) {
  const bool wet = std::ranges::any_of(s.cloud, [](double q) { return q > 0; });
  const std::int64_t nx = s.cells[0], ny = s.cells[1], nz = s.cells[2];
  std::vector<double> score(static_cast<std::size_t>(ny), 0);
  for (std::int64_t row = 0; row < ny * nz; ++row)
    for (std::int64_t x = 0; x < nx; ++x) {
      const auto n = static_cast<std::size_t>(row * nx + x);
      double& mine = score[static_cast<std::size_t>(row % ny)];
      mine = wet ? mine + s.cloud[n] : std::max(mine, s.w[n]);
    }
  return std::ranges::max_element(score) - score.begin();
}

/// Values at the heights `levels` of a section along x, on equal levels.
Plane section(const std::vector<double>& values, const Snapshot& s, const Case& what, std::int64_t y,
              const std::vector<double>& levels, double first_z) {
  const std::int64_t nx = s.cells[0], ny = s.cells[1], nz = s.cells[2];
  const double dx = what.size[0] / km / static_cast<double>(nx),
               dz = what.size[2] / km / static_cast<double>(nz);
  Plane plane{nx, nz, dx / 2, first_z * dz, dx, dz, {}};
  for (std::int64_t z = 0; z < nz; ++z) {
    const double height = (static_cast<double>(z) + first_z) * dz * km;
    const auto found = std::ranges::upper_bound(levels.begin(), levels.begin() + nz, height);
    const std::int64_t above = std::clamp(found - levels.begin(), std::ptrdiff_t{1}, std::ptrdiff_t{nz - 1});
    const double lower = levels[static_cast<std::size_t>(above - 1)],
                 upper = levels[static_cast<std::size_t>(above)];
    const double part = std::clamp((height - lower) / (upper - lower), 0.0, 1.0);
    for (std::int64_t x = 0; x < nx; ++x) {
      const auto value = [&](std::int64_t k) {
        return values[static_cast<std::size_t>(x + nx * (y + ny * k))];
      };
      plane.values.push_back((1 - part) * value(above - 1) + part * value(above));
    }
  }
  return plane;
}

/// Sinking air blue, rising air red. speed: from -1 to 1.
Colour wind_colour(double speed) {
  const double part = std::clamp(speed, -1.0, 1.0);
  const Colour still{0.80, 0.86, 0.92};
  return part > 0 ? mix(still, {0.80, 0.25, 0.12}, part) : mix(still, {0.10, 0.25, 0.60}, -part);
}

/// The colours of winds from -limit to limit, m/s.
void draw_bar(Figure& figure, const Rect& area, double limit) {
  Panel bar(figure, area, {0, 1}, {-limit, limit});
  bar.paint([&](double, double speed) { return wind_colour(speed / limit); });
  const double right = area.left + area.width;
  figure.line({{area.left, area.top},
               {right, area.top},
               {right, area.top + area.height},
               {area.left, area.top + area.height},
               {area.left, area.top}},
              {.colour = ink});
  const Ticks ticks = round_ticks({-limit, limit}, 5);
  for (std::size_t n = 0; n < ticks.values.size(); ++n) {
    const double y = bar.pixel({0, ticks.values[n]}).y;
    figure.line({{right, y}, {right + 5, y}}, {.colour = ink});
    figure.text({right + 9, y}, ticks.labels[n], {.size = 13, .colour = ink});
  }
  figure.text({area.left, area.top - 14}, "m/s", {.size = 13, .colour = ink});
}

void draw_section(Figure& figure, const Rect& area, const Snapshot& s, const Case& what,
                  const BaseState& base) {
  const std::int64_t y = best_row(s);
  const Plane w = section(s.w, s, what, y, base.face, 0),
              cloud = section(s.cloud, s, what, y, base.centre, 0.5);
  double limit = 1e-9;
  for (const double value : w.values)
    limit = std::max(limit, std::abs(value));
  char title[100];
  std::snprintf(title, sizeof title, "Upward wind at the end, y = %.2f km%s",
                (static_cast<double>(y) + 0.5) * what.size[1] / km / static_cast<double>(s.cells[1]),
                what.water.at(0) > 0 ? "; clouds are white" : "");
  figure.text({area.left, area.top - 14}, title, {.size = 15, .colour = ink, .bold = true});
  Panel panel(figure, area, {0, what.size[0] / km}, {0, what.size[2] / km});
  panel.paint([&](double x, double z) {
    const Colour air = wind_colour(w.linear(x, z) / limit);
    return mix(air, {1, 1, 1}, 1 - std::exp(-std::max(cloud.linear(x, z), 0.0) / 2e-4));
  });
  panel.axes("x, km", "z, km", {.size = 13, .colour = ink});
  draw_bar(figure, {area.left + area.width + 20, area.top, 14, area.height}, limit);
}

} // namespace

void draw(const Case& what, const BaseState& base, const History& history, const Snapshot& end,
          const std::string& subtitle, const std::filesystem::path& file) {
  const bool wet = what.water.at(0) > 0;
  const double last = history.samples().back().time;
  const Sample mean =
      history.samples().size() > 1
          ? history.mean(std::max(last - seconds_per_hour, history.samples().front().time), last)
          : history.samples().back();
  const Sample& start = history.samples().front();
  Figure figure(1280, 900, paper);
  figure.text({70, 34}, what.title, {.size = 24, .colour = ink, .bold = true});
  figure.text({70, 64}, subtitle, {.size = 14, .colour = ink});
  draw_section(figure, {70, 120, 510, 300}, end, what, base);

  const Range times{0, last / seconds_per_hour};
  const auto time_series = [&](const Rect& area, const char* title, const std::vector<Curve>& curves) {
    draw_curves(figure, area, title, curves, times, range_of(curves, false), "hours", "");
  };
  if (wet) {
    time_series({720, 120, 210, 300}, "Cloud cover, %", {over_time(history, series::cover, 100, blue)});
    time_series({1020, 120, 210, 300}, "Liquid water path, g/m\xC2\xB2",
                {over_time(history, series::liquid_path, 1000, blue)});
  } else {
    time_series({720, 120, 210, 300}, "Kinetic energy, kg/s\xC2\xB2",
                {over_time(history, series::kinetic_energy, 1, blue)});
    time_series({1020, 120, 210, 300}, "Largest upward wind, m/s",
                {over_time(history, series::w_largest, 1, blue)});
  }

  const Range heights{0, what.size[2] / km};
  const auto profiles = [&](double left, const char* title, const char* units,
                            const std::vector<Curve>& curves) {
    draw_curves(figure, {left, 520, 230, 310}, title, curves, range_of(curves, true), heights, units,
                "z, km");
  };
  const char* const now = "last hour";
  profiles(70, "Liquid water pot. temperature", "K",
           {profile(start.centres[centre::theta_l], base.centre, 1, grey, "start"),
            profile(mean.centres[centre::theta_l], base.centre, 1, red, now)});
  if (wet)
    profiles(380, "Total water", "g/kg",
             {profile(start.centres[centre::q], base.centre, 1000, grey, "start"),
              profile(mean.centres[centre::q], base.centre, 1000, blue, now)});
  else
    profiles(380, "Variance of w", "m\xC2\xB2/s\xC2\xB2",
             {profile(mean.faces[face::w_variance], base.face, 1, blue, now)});
  if (wet)
    profiles(690, "Area", "%",
             {profile(mean.centres[centre::cloud], base.centre, 100, blue, "cloud"),
              profile(mean.centres[centre::core], base.centre, 100, red, "buoyant core")});
  else
    profiles(690, "Wind", "m/s", {profile(mean.centres[centre::u], base.centre, 1, blue, "along x")});
  const face::Name resolved = wet ? face::q_flux : face::theta_l_flux;
  const face::Name subgrid = wet ? face::q_subgrid : face::theta_l_subgrid;
  const double factor = wet ? 1000 : 1;
  profiles(1000, wet ? "Flux of total water" : "Heat flux", wet ? "g/kg m/s" : "K m/s",
           {profile(together(mean.faces[resolved], mean.faces[subgrid]), base.face, factor, ink, "whole"),
            profile(mean.faces[subgrid], base.face, factor, red, "subgrid")});
  figure.save_png(file);
}

} // namespace clouds
