// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>
#include <cmath>

#include "heddle/plot/figure.hpp"

namespace air_quality {
namespace {

using namespace heddle::plot;

const Colour paper{0.985, 0.98, 0.97};
const Colour ink{0.13, 0.15, 0.18};
constexpr double left = 90;
constexpr double width = 880;
constexpr double panel_height = 300;
constexpr double rows = 300; // heights at which the levels are drawn

/// Values at equal steps of hour and height, from those of records and levels.
Plane plane_of(const Column& column, const History& history, const std::vector<std::vector<double>>& values) {
  const auto records = static_cast<std::int64_t>(history.hours.size());
  const double top = column.height(column.levels() - 1) / 1000;
  const double bottom = column.height(0) / 1000;
  const double length = history.hours.back() - history.hours.front();
  Plane plane{records,
              static_cast<std::int64_t>(rows),
              start_hour + history.hours.front(),
              bottom,
              records > 1 ? length / static_cast<double>(records - 1) : 1,
              std::max(top - bottom, 1e-3) / (rows - 1),
              {}};
  std::int64_t level = 0;
  for (std::int64_t row = 0; row < plane.ny; ++row) {
    const double height = bottom + static_cast<double>(row) * plane.dy;
    while (level + 2 < column.levels() && column.height(level + 1) / 1000 < height)
      ++level;
    const std::int64_t above = std::min(level + 1, column.levels() - 1);
    const double low = column.height(level) / 1000;
    const double high = column.height(above) / 1000;
    const double part = above > level ? std::clamp((height - low) / (high - low), 0.0, 1.0) : 0;
    for (const std::vector<double>& record : values)
      plane.values.push_back((1 - part) * record[static_cast<std::size_t>(level)] +
                             part * record[static_cast<std::size_t>(above)]);
  }
  return plane;
}

void draw(Figure& figure, double upper_edge, const Plane& plane, const ColourMap& map, const Sun& sun,
          const std::string& title) {
  const Range values{0, std::max(range_of(plane).upper, 1e-9)};
  const Rect area{left, upper_edge, width, panel_height};
  Range hours = plane.x_range();
  hours.upper = std::max(hours.upper, hours.lower + 1e-3);
  Panel panel(figure, area, hours, plane.y_range());
  panel.paint([&](double x, double y) { return map(values.fraction(plane.linear(x, y))); });
  double before = sun.cosine(0);
  for (double hour = hours.lower; hour < hours.upper; hour += 0.02) { // sunrise and sunset
    const double now = sun.cosine((hour - start_hour) * 3600);
    if ((now > 0) != (before > 0))
      panel.line({{hour, plane.y_range().lower}, {hour, plane.y_range().upper}},
                 {{1, 1, 1, 0.8}, 1.5, {8, 6}});
    before = now;
  }
  panel.axes("hour of solar time, from the first day's midnight", "height, km", {.size = 15, .colour = ink});
  figure.text({left, upper_edge - 14}, title, {.size = 16, .colour = ink, .bold = true});
  figure.colour_bar({left + width + 30, upper_edge + 20, 18, panel_height - 40}, map, values, "ppb",
                    {.size = 14, .colour = ink});
}

} // namespace

bool can_draw() {
  return true;
}

void draw_picture(const Column& column, const Sun& sun, const History& history, const std::string& subtitle,
                  const std::filesystem::path& file) {
  Figure figure(static_cast<int>(left + width + 130), static_cast<int>(130 + 2 * panel_height + 170), paper);
  figure.text({left, 34}, "Ozone and nitrogen oxides over a day", {.size = 26, .colour = ink, .bold = true});
  figure.text({left, 66}, subtitle, {.size = 15, .colour = ink});
  draw(figure, 130, plane_of(column, history, history.ozone), ColourMap::wind(), sun, "Ozone, O3");
  draw(figure, 130 + panel_height + 110, plane_of(column, history, history.nitrogen_oxides),
       ColourMap::ember(), sun, "Nitrogen oxides, NO + NO2");
  figure.save_png(file);
}

} // namespace air_quality
