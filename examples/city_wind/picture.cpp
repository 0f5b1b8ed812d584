// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "heddle/plot/figure.hpp"

namespace city_wind {
namespace {

using namespace heddle::plot;

const Colour paper{0.985, 0.98, 0.97};
const Colour ink{0.13, 0.15, 0.18};
const Colour wall{0.36, 0.35, 0.34};
const Colour arrow{1, 1, 1, 0.75};
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr double eyes = 6; // height of the map above the ground, m

struct Planes {
  Plane speed, along, across; // NaN inside solids
};

class Sampler {
public:
  Sampler(const Grid& grid, const CellWind& wind) : grid_(&grid), wind_(&wind) {}

  /// The cells of one height above the ground.
  [[nodiscard]] Planes map(const Ground& ground) const {
    return planes(
        grid_->nx, grid_->ny, grid_->dx, grid_->dy, wind_->u, wind_->v, [&](std::int64_t i, std::int64_t j) {
          const std::int64_t k = grid_->level_above(ground.column(i, j) + eyes - grid_->thickness[0] / 2);
          return index(i, j, std::min(k, grid_->nz - 1));
        });
  }

  /// The row of cells at j, upwards to a height, in equal steps of it.
  [[nodiscard]] Planes section(std::int64_t j, double highest) const {
    const double step = grid_->thickness[0] / 2;
    const auto rows = static_cast<std::int64_t>(highest / step);
    return planes(grid_->nx, rows, grid_->dx, step, wind_->u, wind_->w,
                  [&](std::int64_t i, std::int64_t row) {
                    const double z = (static_cast<double>(row) + 0.5) * step;
                    std::int64_t k = 0;
                    while (k + 1 < grid_->nz && grid_->height[static_cast<std::size_t>(k)] +
                                                        grid_->thickness[static_cast<std::size_t>(k)] / 2 <
                                                    z)
                      ++k;
                    return index(i, j, k);
                  });
  }

private:
  [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>(i + grid_->nx * (j + grid_->ny * k));
  }

  template <class F>
  [[nodiscard]] Planes planes(std::int64_t nx, std::int64_t ny, double dx, double dy,
                              const std::vector<float>& first, const std::vector<float>& second,
                              F&& cell) const {
    const Plane empty{nx, ny, dx / 2, dy / 2, dx, dy, {}};
    Planes result{empty, empty, empty};
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t i = 0; i < nx; ++i) {
        const std::size_t n = cell(i, j);
        const bool solid = wind_->icell[n] == 0 || wind_->icell[n] == 2;
        result.along.values.push_back(solid ? nothing : static_cast<double>(first[n]));
        result.across.values.push_back(solid ? nothing : static_cast<double>(second[n]));
        result.speed.values.push_back(
            solid ? nothing : static_cast<double>(std::hypot(wind_->u[n], wind_->v[n], wind_->w[n])));
      }
    return result;
  }

  const Grid* grid_;
  const CellWind* wind_;
};

/// The value of the cell that holds a point.
double nearest(const Plane& plane, double x, double y) {
  const auto i = std::clamp<std::int64_t>(std::llround((x - plane.x0) / plane.dx), 0, plane.nx - 1);
  const auto j = std::clamp<std::int64_t>(std::llround((y - plane.y0) / plane.dy), 0, plane.ny - 1);
  return plane.at(i, j);
}

void draw_planes(Figure& figure, const Rect& area, const Planes& planes, Range x, Range y, Range speeds,
                 const std::string& y_label) {
  Panel panel(figure, area, x, y);
  const ColourMap& map = ColourMap::wind();
  panel.paint([&](double px, double py) {
    if (std::isnan(nearest(planes.speed, px, py))) return wall;
    const double smooth = planes.speed.linear(px, py);
    return map(speeds.fraction(std::isnan(smooth) ? nearest(planes.speed, px, py) : smooth));
  });
  panel.vectors(planes.along, planes.across, {arrow, 1.2}, 20, speeds.upper);
  panel.axes("x, m", y_label, {.size = 15, .colour = ink});
}

} // namespace

void draw_picture(const Grid& grid, const Ground& ground, const std::vector<Building>& buildings,
                  const CellWind& wind, const std::string& subtitle, const std::filesystem::path& file) {
  const Sampler sampler(grid, wind);
  const auto tallest =
      std::max_element(buildings.begin(), buildings.end(),
                       [](const Building& a, const Building& b) { return a.height < b.height; });
  const double y_cut = tallest == buildings.end() ? grid.width() / 2 : centroid(tallest->outline).y;
  const auto row = std::min(static_cast<std::int64_t>(y_cut / grid.dy), grid.ny - 1);
  const double roofs = tallest == buildings.end() ? 0 : tallest->height;
  const double highest =
      std::min(grid.top(), std::max({2.2 * roofs, grid.top() / 3, 10 * grid.thickness[0]}));

  const Planes map = sampler.map(ground);
  const Planes section = sampler.section(row, highest);
  const Range speeds{0, std::max({range_of(map.speed).upper, range_of(section.speed).upper, 1e-3})};

  constexpr double left = 90;
  constexpr double width = 1100;
  const double scale = std::min(width / grid.length(), 900 / grid.width());
  const double map_height = scale * grid.width();
  const double section_height = std::clamp(scale * highest, 90.0, 500.0);
  const auto whole = static_cast<int>(left + scale * grid.length() + 150);
  Figure figure(std::max(whole, 700), static_cast<int>(100 + map_height + 90 + section_height + 70), paper);
  figure.text({left, 34}, "Wind around buildings", {.size = 26, .colour = ink, .bold = true});
  figure.text({left, 66}, subtitle, {.size = 15, .colour = ink});
  const Rect map_area{left, 100, scale * grid.length(), map_height};
  const Rect section_area{left, 100 + map_height + 90, scale * grid.length(), section_height};
  char label[96];
  std::snprintf(label, sizeof label, "%.0f m above the ground; the line is the section below, y = %.0f m",
                eyes, y_cut);
  draw_planes(figure, map_area, map, {0, grid.length()}, {0, grid.width()}, speeds, "y, m");
  Panel over(figure, map_area, {0, grid.length()}, {0, grid.width()});
  over.line({{0, y_cut}, {grid.length(), y_cut}}, {{1, 1, 1, 0.6}, 1.5, {8, 6}});
  figure.text({left, 90}, label, {.size = 13, .colour = ink});
  draw_planes(figure, section_area, section, {0, grid.length()}, {0, highest}, speeds, "z, m");
  figure.colour_bar({left + scale * grid.length() + 30, 120, 18, std::min(map_height - 40, 400.0)},
                    ColourMap::wind(), speeds, "m/s", {.size = 14, .colour = ink});
  figure.save_png(file);
}

} // namespace city_wind
