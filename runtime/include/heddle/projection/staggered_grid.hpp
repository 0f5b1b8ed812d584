// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROJECTION_STAGGERED_GRID_HPP
#define HEDDLE_PROJECTION_STAGGERED_GRID_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "heddle/grid/field_view.hpp"
#include "heddle/poisson/poisson_problem.hpp"

namespace heddle {

/// What a flow meets at a side of the domain. The velocity through the side is prescribed at walls (0, or
/// what blows in), and a result where the side is open: there the pressure is.
enum class SideKind { periodic, no_slip, free_slip, open };

/// A side. velocity: of the wall along x, y and z; the component through the side is what blows in or out.
/// pressure: at an open side.
struct Side {
  SideKind kind = SideKind::periodic;
  std::array<double, 3> velocity{0, 0, 0};
  double pressure = 0;
};

/// A staggered grid (heddle.solvers.staggered has the equations): p and the divergence in the middle of
/// cells, u, v and w on their lower faces. Cells have constant width along x and y and any height.
struct StaggeredGrid {
  std::array<std::int64_t, 3> cells{1, 1, 1};
  double width_x = 1;
  double width_y = 1;
  std::vector<double> heights;      // cells[2] of them; empty: 1 each
  std::vector<double> density;      // of each level; empty: 1
  std::vector<double> face_density; // cells[2] + 1, of the faces between levels; empty: 1
  std::array<Side, 3> lower;        // at x, y, z = 0
  std::array<Side, 3> upper;
};

/// u, v, w of a block. Cell (0, 0, 0) of each view has the face at the lower end of the first cell; one ghost
/// layer around: the faces at the upper ends are those of the first ghost cells.
template <class T> struct Velocity {
  FieldView<T> u, v, w;
  [[nodiscard]] const FieldView<T>& operator[](int axis) const { return axis == 0 ? u : axis == 1 ? v : w; }
};

/// The equation of the pressure: div grad p = right, with the pressures of open sides. Throws Error for
/// extents below one, profiles of another length, sides of which only one is periodic, or the pressure of a
/// side that is not open.
[[nodiscard]] PoissonProblem pressure_problem(const StaggeredGrid& grid);

} // namespace heddle

#endif
