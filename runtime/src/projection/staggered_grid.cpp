// SPDX-License-Identifier: Apache-2.0
#include "heddle/projection/staggered_grid.hpp"

#include <string>

#include "heddle/core/error.hpp"

namespace heddle {
namespace {

/// A prescribed velocity leaves the pressure's derivative 0, an open side the pressure.
Boundary boundary(const Side& side) {
  if (side.kind == SideKind::periodic) return Boundary::periodic;
  return side.kind == SideKind::open ? Boundary::dirichlet : Boundary::neumann;
}

PoissonDirection direction(const StaggeredGrid& grid, std::size_t axis, double spacing) {
  return {.unknowns = grid.cells[axis],
          .spacing = spacing,
          .lower = boundary(grid.lower[axis]),
          .upper = boundary(grid.upper[axis]),
          .lower_value = grid.lower[axis].pressure,
          .upper_value = grid.upper[axis].pressure};
}

} // namespace

PoissonProblem pressure_problem(const StaggeredGrid& grid) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid.cells[axis] < 1) {
      throw Error("StaggeredGrid",
                  "the grid has " + std::to_string(grid.cells[axis]) + " cells along axis " +
                      std::to_string(axis),
                  "use at least 1");
    }
  }
  for (const auto* sides : {&grid.lower, &grid.upper}) {
    for (const Side& side : *sides) {
      if (side.pressure != 0 && side.kind != SideKind::open) {
        throw Error("StaggeredGrid", "a pressure is given at a side that is not open",
                    "use SideKind::open, or leave the pressure 0");
      }
    }
  }
  const auto n = static_cast<std::size_t>(grid.cells[2]);
  const auto check = [](const std::vector<double>& profile, std::size_t wanted, const char* what) {
    if (profile.empty() || profile.size() == wanted) return;
    throw Error("StaggeredGrid", std::to_string(profile.size()) + " values were given for " + what +
                                     ", but " + std::to_string(wanted) + " are needed");
  };
  check(grid.heights, n, "heights");
  check(grid.density, n, "density");
  check(grid.face_density, n + 1, "face_density");
  PoissonProblem problem;
  problem.x = direction(grid, 0, grid.width_x);
  problem.y = direction(grid, 1, grid.width_y);
  problem.z = stretched_column(grid.heights.empty() ? std::vector<double>(n, 1.0) : grid.heights,
                               boundary(grid.lower[2]), boundary(grid.upper[2]));
  problem.z.density = grid.density;
  problem.z.face_density = grid.face_density;
  problem.z.lower_value = grid.lower[2].pressure;
  problem.z.upper_value = grid.upper[2].pressure;
  return problem;
}

} // namespace heddle
