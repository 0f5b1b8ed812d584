// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROJECTION_TOPOGRAPHY_HPP
#define HEDDLE_PROJECTION_TOPOGRAPHY_HPP

#include <cstdint>
#include <span>

#include "heddle/grid/field.hpp"
#include "heddle/projection/staggered_grid.hpp"

namespace heddle {

/// Which faces of a staggered grid are open: one byte per cell with one bit per face (0: +x, 1: -x, 2: +y, 3:
/// -y, 4: +z, 5: -z), as heddle.solvers.relaxation.FACES numbers them. A face between fluid cells is open; so
/// is one of a fluid cell at a periodic side, if the cell at the other end is fluid, or at an open side.
/// Solid cells have no open face.
class Topography {
public:
  /// solid: one entry a cell, x fastest, not 0 where there is no fluid. Throws Error when their number is not
  /// that of the cells, no cell is fluid, or a solid cell lies at an open side.
  Topography(const StaggeredGrid& grid, std::span<const std::uint8_t> solid, Memory memory = Memory::host)
      : Topography(grid, solid, 0, grid.cells[2], memory) {}
  /// The same of the levels first <= k < last only, of which this rank keeps the faces; solid has all cells.
  Topography(const StaggeredGrid& grid, std::span<const std::uint8_t> solid, std::int64_t first_level,
             std::int64_t last_level, Memory memory);

  /// Of the kept levels; one component, no ghost cells.
  [[nodiscard]] FieldView<const std::uint8_t> open() const { return open_.view(); }
  /// Of the whole grid.
  [[nodiscard]] std::int64_t fluid_cells() const noexcept { return fluid_; }
  /// Height of all fluid cells of the grid together: what the sum of a field over the fluid is divided by.
  [[nodiscard]] double fluid_height() const noexcept { return height_; }

private:
  Field<std::uint8_t> open_;
  std::int64_t fluid_ = 0;
  double height_ = 0;
};

} // namespace heddle

#endif
