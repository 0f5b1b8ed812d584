// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GEOMETRY_BODY_LINKS_HPP
#define HEDDLE_GEOMETRY_BODY_LINKS_HPP

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/geometry/mesh.hpp"
#include "heddle/geometry/voxelise.hpp"
#include "heddle/grid/box.hpp"

namespace heddle::geometry {

/// The links from cells of a dense block to those of bodies in it: the entries of boundary sweeps over
/// heddle.Cells (StreamingPattern.boundary(condition, cells=True)).
struct BodyLinks {
  /// [axis][entries]: the cell, counted from the first one of the block; below 0 and above its extent in
  /// ghost layers. Fields `cell_x`, `cell_y`, `cell_z`.
  std::array<std::vector<std::int32_t>, 3> cells;
  std::vector<std::uint32_t> mask; ///< [entries]: bit q where f_q comes out of a body, met opposite to q
  /// [entries]: bit q where quadratic interpolation (lbm::Bouzidi) of f_q takes its linear form, because the
  /// cell two further along c_q belongs to a body, or lies beyond a face of the domain.
  std::vector<std::uint32_t> linear;
  /// [velocities][entries]: from the cell's centre to the wall that is met in a direction c, in units of |c|,
  /// above 0 and at most 1; 1/2 where none is met. Fields `distance_e` and so on.
  std::vector<std::vector<double>> distance;
  std::int64_t own = 0;     ///< how many entries are cells of the block; those of ghost layers follow
  std::int64_t links = 0;   ///< how many, the bits of all masks
  std::int64_t assumed = 0; ///< of the links of the domain, how many the surface does not cross: half-way
};

/// Finds them, with distances as geometry::wall_links has them over a list of the cells that are not solid.
/// `grid`, `solid`, `velocities`, `periodic`: as there, for the whole domain, which begins at cell (0, 0, 0).
/// `block`: of the field, in cells of the domain. `ghost_layers`: how far around the block cells count, too;
/// 0 where bodies keep clear of what is periodic or cut into blocks, 1 for EsoTwist and EsoPull elsewhere (in
/// other patterns a cell sets what it reads itself). Beyond a periodic face lie the images of cells. Entries
/// are in the order of rows, x fastest, those of the ghost layers last: a force or torque is that of the
/// first `own` of them, since another block has the others.
///
/// `inner_walls`: sides with walls within the step (heddle.Dense(walls=...)), as in walls_around: the sum of
/// 1 west, 2 east, 4 south, 8 north, 16 bottom, 32 top; 0 for none. What these send back stays in the current
/// cell, where conditions do not look that take other populations of a cell than those on the link (Bouzidi,
/// and PressureAntiBounceBack with the cell's own velocity): no entry may lie at such a side. Bounce-back,
/// moving or not, looks at the link alone, so its bodies may touch walls: 0, too.
///
/// Throws Error for an entry at a side of `inner_walls`, where a block reaches beyond the domain, for a
/// negative number of ghost layers, and for what wall_links refuses.
///
///     const std::vector<std::uint8_t> solid = voxelise(mesh, grid);
///     const BodyLinks body = body_links(mesh, grid, solid, field.box(0), 0, velocities, periodic, 0);
///     const Buffer<std::int32_t> x{std::span(body.cells[0])};           // and y, z
///     const Buffer<float> west = entry_values<float>(body.distance[2]); // distance_w, and so on
///     const model::BodyAfterEven sweep(field, x, y, z, west, ...);
[[nodiscard]] BodyLinks body_links(const Mesh& mesh, const VoxelGrid& grid,
                                   std::span<const std::uint8_t> solid, const Box& block, int ghost_layers,
                                   std::span<const std::array<int, 3>> velocities,
                                   const std::array<bool, 3>& periodic, std::uint32_t inner_walls);

/// The same without a surface: walls half-way on all links, `distance` is empty. `extent`: of the domain.
[[nodiscard]] BodyLinks body_links(const std::array<std::int64_t, 3>& extent,
                                   std::span<const std::uint8_t> solid, const Box& block, int ghost_layers,
                                   std::span<const std::array<int, 3>> velocities,
                                   const std::array<bool, 3>& periodic, std::uint32_t inner_walls);

} // namespace heddle::geometry

#endif
