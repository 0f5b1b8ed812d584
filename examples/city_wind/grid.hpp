// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CITY_WIND_GRID_HPP
#define HEDDLE_CITY_WIND_GRID_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "heddle/geometry/elevation.hpp"
#include "heddle/grid/box.hpp"

namespace city_wind {

struct Vec2 {
  double x = 0;
  double y = 0;
};

/// The cells: x eastwards and y northwards from the south-west corner, z upwards from the lowest ground;
/// lengths in m.
struct Grid {
  std::int64_t nx = 0, ny = 0, nz = 0;
  double dx = 0, dy = 0;
  std::vector<double> thickness; ///< of each level
  std::vector<double> height;    ///< of each level's centre

  [[nodiscard]] double length() const { return static_cast<double>(nx) * dx; }
  [[nodiscard]] double width() const { return static_cast<double>(ny) * dy; }
  [[nodiscard]] double top() const { return height.back() + thickness.back() / 2; }
  /// The first level whose centre lies above z; nz where there is none.
  [[nodiscard]] std::int64_t level_above(double z) const;
  /// The box of the kernels: the cells, and one more on each axis for the last faces.
  [[nodiscard]] heddle::Box box() const { return {{0, 0, 0}, {nx + 1, ny + 1, nz + 1}}; }
};

/// Levels of `first` metres at the ground, each thicker than the one below by the factor `stretch`. Throws
/// heddle::Error for sizes that are not positive, fewer than four cells along an axis, more cells than an
/// index can count or this machine's memory can hold, and levels above 100 km.
[[nodiscard]] Grid make_grid(std::int64_t nx, std::int64_t ny, std::int64_t nz, double dx, double dy,
                             double first, double stretch = 1);

/// .vti files have equal levels: those of a stretched grid are as thick as its lowest one, and each takes the
/// value of the grid's level that is given here. Throws heddle::Error for more than 100 000 of them.
[[nodiscard]] std::vector<std::int64_t> equal_levels(const Grid& grid);

/// Height of the ground above the lowest one, m, at the centres of columns.
class Ground {
public:
  /// Flat.
  explicit Ground(const Grid& grid);
  /// From an elevation model whose south-west corner lies at `corner` of the grid. Throws heddle::Error where
  /// the grid leaves the model, a height is missing, or the ground leaves less than two levels of air.
  Ground(const Grid& grid, const heddle::geometry::Elevation& model, Vec2 corner);

  /// In the column of (x, y), or the nearest one.
  [[nodiscard]] double at(double x, double y) const;
  [[nodiscard]] double column(std::int64_t i, std::int64_t j) const {
    return height_[static_cast<std::size_t>(i + nx_ * j)];
  }
  /// Above sea level, of z = 0.
  [[nodiscard]] double lowest() const { return lowest_; }

private:
  std::int64_t nx_, ny_;
  double dx_, dy_;
  double lowest_ = 0;
  std::vector<double> height_;
};

} // namespace city_wind

#endif
