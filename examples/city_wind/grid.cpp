// SPDX-License-Identifier: Apache-2.0
#include "grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/core/size.hpp"

namespace city_wind {
namespace {

constexpr double highest_top = 1e5; // m: the wind of this model is one of cities
constexpr double most_equal_levels = 1e5;

std::string metres(double length) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3g m", length);
  return text.data();
}

} // namespace

std::int64_t Grid::level_above(double z) const {
  return std::upper_bound(height.begin(), height.end(), z) - height.begin();
}

Grid make_grid(std::int64_t nx, std::int64_t ny, std::int64_t nz, double dx, double dy, double first,
               double stretch) {
  for (const double size : {dx, dy, first}) {
    if (!(size > 0) || !std::isfinite(size))
      throw heddle::Error("grid", "the cell size is " + std::to_string(size) + " m", "use positive sizes");
  }
  if (!(stretch >= 1) || stretch > 2)
    throw heddle::Error("grid", "levels cannot grow by the factor " + std::to_string(stretch),
                        "use 1 for equal levels, and at most 2");
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (nx < 4 || ny < 4 || nz < 4 || nx > most || ny > most || nz > 100'000 || nx > most / ny / nz)
    throw heddle::Error("grid",
                        std::to_string(nx) + " x " + std::to_string(ny) + " x " + std::to_string(nz) +
                            " cells are not supported",
                        "use at least 4 along each axis and at most 2^40 in total");
  constexpr std::int64_t bytes_a_cell = 3 * sizeof(float) + 1; // the least: the wind that is written
  (void)heddle::require_size({"grid", "cells", {nx, ny, nz}, bytes_a_cell}, heddle::memory_limit(),
                             "choose fewer cells with --cells");
  Grid grid{nx, ny, nz, dx, dy, {}, {}};
  double bottom = 0;
  double thickness = first;
  for (std::int64_t k = 0; k < nz; ++k, thickness *= stretch) {
    grid.thickness.push_back(thickness);
    grid.height.push_back(bottom + thickness / 2);
    bottom += thickness;
  }
  if (!(bottom <= highest_top))
    throw heddle::Error("grid",
                        std::to_string(nz) + " levels reach " + metres(bottom) + ", and the atmosphere " +
                            metres(highest_top),
                        "choose a smaller --stretch, fewer levels with --cells, or thinner ones");
  return grid;
}

std::vector<std::int64_t> equal_levels(const Grid& grid) {
  const double step = grid.thickness[0];
  if (const double count = grid.top() / step; count > most_equal_levels)
    throw heddle::Error("grid",
                        "the files would have " + heddle::number_text(std::ceil(count)) +
                            " levels as thick as the lowest one, and the limit is " +
                            heddle::number_text(most_equal_levels),
                        "choose a smaller --stretch, or a thicker lowest level");
  std::vector<std::int64_t> cell_of;
  std::int64_t k = 0;
  double above = step; // upper end of level k
  for (double z = step / 2; z < grid.top(); z += step) {
    while (k + 1 < grid.nz && above < z)
      above += grid.thickness[static_cast<std::size_t>(++k)];
    cell_of.push_back(k);
  }
  return cell_of;
}

Ground::Ground(const Grid& grid)
    : nx_(grid.nx), ny_(grid.ny), dx_(grid.dx), dy_(grid.dy),
      height_(static_cast<std::size_t>(grid.nx * grid.ny), 0.0) {}

Ground::Ground(const Grid& grid, const heddle::geometry::Elevation& model, Vec2 corner) : Ground(grid) {
  const std::string where = "elevation model '" + model.source + "'";
  if (corner.x < 0 || corner.y < 0 || corner.x + grid.length() > model.width() ||
      corner.y + grid.width() > model.depth())
    throw heddle::Error(where,
                        "the domain extends beyond the file's area of " + std::to_string(model.width()) +
                            " m x " + std::to_string(model.depth()) + " m",
                        "choose fewer or smaller cells, or another --origin");
  // Between the centres of the model's cells linearly, constant over its outer half cells.
  const auto place = [](double position, std::int64_t count) {
    const double inside = std::clamp(position - 0.5, 0.0, static_cast<double>(count - 1));
    const auto index = std::min(static_cast<std::int64_t>(inside), std::max<std::int64_t>(count - 2, 0));
    return std::pair(index, inside - static_cast<double>(index));
  };
  for (std::int64_t j = 0; j < ny_; ++j) {
    for (std::int64_t i = 0; i < nx_; ++i) {
      const auto [c, s] =
          place((corner.x + (static_cast<double>(i) + 0.5) * dx_) / model.cell_x, model.columns);
      const auto [r, t] = place((corner.y + (static_cast<double>(j) + 0.5) * dy_) / model.cell_y, model.rows);
      const std::int64_t c_next = std::min(c + 1, model.columns - 1);
      const std::int64_t r_next = std::min(r + 1, model.rows - 1);
      const double z = (1 - t) * ((1 - s) * model.at(c, r) + s * model.at(c_next, r)) +
                       t * ((1 - s) * model.at(c, r_next) + s * model.at(c_next, r_next));
      if (!std::isfinite(z))
        throw heddle::Error(where,
                            "there is no height near column " + std::to_string(c + 1) + ", row " +
                                std::to_string(model.rows - r) + " (from the north)",
                            "choose a domain without gaps");
      height_[static_cast<std::size_t>(i + nx_ * j)] = z;
    }
  }
  const auto [low, high] = std::minmax_element(height_.begin(), height_.end());
  lowest_ = *low;
  if (*high - lowest_ > grid.height[static_cast<std::size_t>(grid.nz - 3)])
    throw heddle::Error(where,
                        "the ground rises " + std::to_string(*high - lowest_) +
                            " m, but the domain is only " + std::to_string(grid.top()) + " m high",
                        "use more levels (--cells)");
  for (double& z : height_)
    z -= lowest_;
}

double Ground::at(double x, double y) const {
  return column(std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(x / dx_)), 0, nx_ - 1),
                std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(y / dy_)), 0, ny_ - 1));
}

} // namespace city_wind
