// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GEOMETRY_WALL_LINKS_HPP
#define HEDDLE_GEOMETRY_WALL_LINKS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/device/half.hpp"
#include "heddle/geometry/mesh.hpp"
#include "heddle/geometry/voxelise.hpp"
#include "heddle/sparse/index_list.hpp"

namespace heddle::geometry {

/// The links from listed cells to solid ones, and where a surface crosses them: the entries of a sweep with
/// walls anywhere on the links, lbm::Bouzidi, linear or quadratic (Bouzidi, Firdaouss and Lallemand 2001).
struct WallLinks {
  std::vector<std::uint32_t> cells; ///< [entries]: numbers in the list, ascending
  std::vector<std::uint32_t> mask;  ///< [entries]: bit q where f_q comes in from a wall, met opposite to q
  /// [velocities][entries]: from the cell's centre to the wall that is met in a direction c, in units of |c|,
  /// above 0 and at most 1; 1/2 where none is met.
  std::vector<std::vector<double>> distance;
  std::int64_t links = 0;   ///< how many, the bits of all masks
  std::int64_t assumed = 0; ///< of these, how many the surface does not cross: their distance is 1/2
};

/// Finds them. `grid`: cell (i, j, k) of it is the same of the list's domain, counted from the lower corner
/// (for ranks the domain of all). `solid`: one byte a cell of the grid, x fastest, 0 = not solid, as from
/// voxelise. `velocities`: in the order of the lattice, components -1, 0 or 1 (z 0 for a lattice of the
/// plane), each with its opposite; the bits of masks and the rows of `distance` count as they do. `periodic`:
/// of the domain.
///
/// Of several crossings of a link the one nearest to the listed cell counts; through an edge or a corner of
/// triangles a link is crossed as through their middle. A solid cell always gets its link: where the surface
/// does not cross that (the cell was made solid by other means, or the surface is open), the wall is taken to
/// lie half-way, and `assumed` says how often; 0 for what voxelise says of a closed surface, but for cells
/// that it gets wrong where faces lie exactly along its rays. A wall nearer to the cell's centre than 1e-7 of
/// the link is taken to be that far. Links that lead out of the domain, to cells that are neither listed nor
/// solid, or between listed cells are none of these: other sweeps or the table of the list have them, and a
/// body thinner than a cell has no links.
///
/// Nobody searches: a triangle is drawn onto the lines of cells along each direction
/// (src/link_crossings.hpp). On one core D3Q27 takes 0.06 s a million cells and 0.7 s a million triangles.
/// Triangles times directions are shared out to threads, and the result does not depend on their number.
/// Throws Error where the grid is not that of the list, flags are too many or too few, a listed cell is
/// solid, a cell of the grid has no size, a corner of the mesh is not finite, and for velocities other than
/// above, or more than the 32 that a mask has bits for.
///
///     const Mesh mesh = read_mesh("body.stl");
///     const std::vector<std::uint8_t> solid = voxelise(mesh, grid); // fluid[n] = solid[n] == 0
///     const IndexList list({{0, 0, 0}, grid.extent}, fluid, periodic, model::links);
///     const WallLinks walls = wall_links(mesh, grid, solid, list, velocities, periodic);
///     if (walls.assumed > 0) std::cerr << walls.assumed << " links meet no surface\n";
///     const Buffer<std::uint32_t> cells{std::span(walls.cells)}, mask{std::span(walls.mask)};
///     const Buffer<float> west = entry_values<float>(walls.distance[2]); // distance_w, and so on
///     model::body(f, west.data(), mask.data(), ..., cells.data(), cells.size());
[[nodiscard]] WallLinks wall_links(const Mesh& mesh, const VoxelGrid& grid,
                                   std::span<const std::uint8_t> solid, const IndexList& list,
                                   std::span<const std::array<int, 3>> velocities,
                                   const std::array<bool, 3>& periodic);

/// [axis][entries]: from `about` (where the mesh has its corners) to the centre of the cell of each entry, in
/// cells: the fields arm_x, arm_y, arm_z of a sweep that sums a torque.
[[nodiscard]] std::array<std::vector<double>, 3> arms(const WallLinks& walls, const VoxelGrid& grid,
                                                      const IndexList& list, const Point& about);

/// Values of entries as a sweep takes them. T: double, float, or std::uint16_t for halves.
template <class T>
[[nodiscard]] Buffer<T> entry_values(std::span<const double> values, Memory memory = Memory::host) {
  std::vector<T> stored(values.size());
  std::transform(values.begin(), values.end(), stored.begin(), [](double value) {
    if constexpr (std::is_same_v<T, std::uint16_t>)
      return to_half(value);
    else
      return static_cast<T>(value);
  });
  return Buffer<T>(std::span<const T>(stored), memory);
}

} // namespace heddle::geometry

#endif
