// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GEOMETRY_VOXELISE_HPP
#define HEDDLE_GEOMETRY_VOXELISE_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "heddle/geometry/elevation.hpp"
#include "heddle/geometry/mesh.hpp"

namespace heddle::geometry {

/// A grid of cubic cells; cell (i, j, k) has its centre at origin + (i + 1/2, j + 1/2, k + 1/2) * cell.
struct VoxelGrid {
  Point origin{};
  double cell = 1;
  std::array<std::int64_t, 3> extent{};
};

/// One byte per cell, x fastest: 1 where the cell's centre lies inside `mesh`, else 0.
///
/// Rays along x, y and z through the cell centres each give the winding number of the surface around the
/// centre, and two of three decide. Which triangles a ray pierces is decided edge by edge with one arithmetic
/// result an edge, so that triangles that share an edge never both take or both miss a ray. Where
/// neighbouring triangles have opposite orientation the parity of the crossings replaces the winding number.
/// Throws heddle::Error for more cells than memory_limit(), and for a surface that is not closed: how many
/// holes, where the largest is and how long its rim.
[[nodiscard]] std::vector<std::uint8_t> voxelise(const Mesh& mesh, const VoxelGrid& grid);

/// One byte per cell, x fastest: 1 where the cell's centre is below the ground `map`; `grid_bottom` is the
/// height of the grid's lower face, `layers` its number of cells in z. Throws heddle::Error for more cells
/// than memory_limit().
[[nodiscard]] std::vector<std::uint8_t> below_ground(const HeightMap& map, double grid_bottom,
                                                     std::int64_t layers);

} // namespace heddle::geometry

#endif
