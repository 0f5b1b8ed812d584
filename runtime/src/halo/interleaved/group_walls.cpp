// SPDX-License-Identifier: Apache-2.0
#include "group_walls.hpp"

#include "border_axes.hpp"
#include "heddle/grid/block_walls.hpp"

namespace heddle {

namespace {

/// The sides of a block beyond which a box of its cells lies, bits as in walls_around().
std::uint32_t sides_beyond(const Box& cells, const std::array<std::int64_t, 3>& extent) noexcept {
  std::uint32_t sides = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (cells.upper[d] <= 0) sides |= 1U << (2 * d);
    if (cells.lower[d] >= extent[d]) sides |= 2U << (2 * d);
  }
  return sides;
}

/// Of one group: the walls that each of its blocks has among `sides`.
std::vector<std::uint32_t> walls_of_group(const BlockGrid& grid, int first, int lanes, std::uint32_t sides) {
  std::vector<std::uint32_t> walls;
  for (int lane = 0; lane < lanes; ++lane)
    walls.push_back(walls_around(grid, grid.block(first + lane)) & sides);
  return walls;
}

/// The elements behind a wall that a link of `walls` reaches in a box of ghost cells.
void add_walls(const DenseExchange& exchange, const WallLinks& walls, const HaloRegion& region, int group,
               std::vector<GroupWall>& found) {
  const BlockGrid& grid = *exchange.grid();
  const int lanes = exchange.fields()[static_cast<std::size_t>(walls.field)].interleaved;
  const int first = grid.first_block(exchange.rank()) + group * lanes;
  const std::array<std::int64_t, 3> extent = grid.block(first).extents();
  const Box ghosts = region.cells(extent);
  const std::uint32_t beyond = sides_beyond(ghosts, extent);
  const std::vector<std::uint32_t> of_lane = walls_of_group(grid, first, lanes, walls.sides);
  std::uint32_t shared = walls.sides;
  for (const std::uint32_t one : of_lane)
    shared &= one;
  if (ghosts.empty() || (beyond & shared) != 0) return;
  GroupWall wall{.field = walls.field, .group = group, .extent = ghosts.extents()};
  for (std::size_t lane = 0; lane < of_lane.size(); ++lane)
    if ((beyond & of_lane[lane]) != 0) wall.lanes |= 1U << lane;
  if (wall.lanes == 0) return;
  const std::array<bool, 3> axes = border_axes(exchange);
  for (std::size_t d = 0; d < 3; ++d)
    wall.border = wall.border || (axes[d] && (beyond >> (2 * d) & 3U) != 0);
  for (const Link& link : walls.links) {
    if (link.slot != region.component) continue;
    const Box own = ghosts.shift({-link.offset[0], -link.offset[1], -link.offset[2]});
    if (sides_beyond(own, extent) != 0) continue; // reached with another offset
    const bool before = exchange.direction() == Direction::owner_to_ghost;
    wall.from_component = before ? link.wall_slot : link.slot;
    wall.to_component = before ? link.slot : link.wall_slot;
    wall.from = before ? own.lower : ghosts.lower;
    wall.to = before ? ghosts.lower : own.lower;
    found.push_back(wall);
  }
}

} // namespace

std::vector<GroupWall> group_walls(const DenseExchange& exchange) {
  std::vector<GroupWall> found;
  const BlockGrid& grid = *exchange.grid();
  const int blocks = grid.first_block(exchange.rank() + 1) - grid.first_block(exchange.rank());
  for (const WallLinks& walls : exchange.walls()) {
    const int lanes = exchange.fields()[static_cast<std::size_t>(walls.field)].interleaved;
    for (int group = 0; group < blocks / lanes; ++group)
      for (const HaloRegion& region : exchange.regions())
        if (region.field == walls.field) add_walls(exchange, walls, region, group, found);
  }
  return found;
}

} // namespace heddle
