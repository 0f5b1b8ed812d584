// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/body_links.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/geometry/wall_links.hpp"
#include "heddle/grid/positive_modulo.hpp"
#include "heddle/sparse/index_list.hpp"

namespace heddle::geometry {
namespace {

using Cell = std::array<std::int64_t, 3>;
using Velocity = std::array<int, 3>;

/// What the flags of a domain say of a cell in it or around it.
class Domain {
public:
  enum class Kind { fluid, body, beyond };

  Domain(const Cell& extent, std::span<const std::uint8_t> solid, const std::array<bool, 3>& periodic)
      : extent_(extent), solid_(solid), periodic_(periodic) {}

  /// Brings a cell into the domain where axes are periodic; false where it lies beyond a face.
  [[nodiscard]] bool bring_inside(Cell& cell) const {
    for (std::size_t a = 0; a < 3; ++a) {
      if (periodic_[a]) cell[a] = positive_modulo(cell[a], extent_[a]);
      if (cell[a] < 0 || cell[a] >= extent_[a]) return false;
    }
    return true;
  }
  [[nodiscard]] Kind at(Cell cell) const {
    if (!bring_inside(cell)) return Kind::beyond;
    const std::int64_t n = cell[0] + extent_[0] * (cell[1] + extent_[1] * cell[2]);
    return solid_[static_cast<std::size_t>(n)] != 0 ? Kind::body : Kind::fluid;
  }

private:
  Cell extent_;
  std::span<const std::uint8_t> solid_;
  std::array<bool, 3> periodic_;
};

Cell moved(const Cell& cell, const Velocity& c, int times) {
  return {cell[0] + times * c[0], cell[1] + times * c[1], cell[2] + times * c[2]};
}

void check(const Cell& extent, std::span<const std::uint8_t> solid, const Box& block, int ghost_layers,
           std::span<const Velocity> velocities) {
  const Box domain{{0, 0, 0}, extent};
  if (static_cast<std::int64_t>(solid.size()) != domain.volume())
    throw Error("body_links",
                std::to_string(solid.size()) + " flags were given for " + std::to_string(domain.volume()) +
                    " cells",
                "give one byte per cell of the domain, x fastest");
  if (!domain.covers(block))
    throw Error("body_links", "the block " + to_string(block) + " reaches beyond " + to_string(domain),
                "give the block in cells of the domain, as Field::box returns it");
  if (ghost_layers < 0)
    throw Error("body_links", std::to_string(ghost_layers) + " ghost layers are not valid",
                "use 0, or the number of ghost layers whose cells count, too");
  if (velocities.size() > 32)
    throw Error("body_links",
                "a mask has 32 bits, but the lattice has " + std::to_string(velocities.size()) +
                    " velocities",
                "give the velocities of one lattice, in its order");
}

/// Throws Error for entries at sides of the domain where the step itself has walls.
void check_clear(const BodyLinks& links, const Box& block, const Cell& extent,
                 const std::array<bool, 3>& periodic, std::uint32_t inner_walls) {
  constexpr std::array<const char*, 6> names{"west", "east", "south", "north", "bottom", "top"};
  for (std::size_t side = 0; side < 6; ++side) {
    const std::size_t axis = side / 2;
    if ((inner_walls >> side & 1U) == 0 || periodic[axis]) continue;
    const std::int64_t layer = (side % 2 == 0 ? 0 : extent[axis] - 1) - block.lower[axis];
    const auto found = std::ranges::find(links.cells[axis], layer);
    if (found == links.cells[axis].end()) continue;
    const auto entry = static_cast<std::size_t>(found - links.cells[axis].begin());
    std::array<std::string, 3> at;
    for (std::size_t a = 0; a < 3; ++a)
      at[a] = std::to_string(links.cells[a][entry] + block.lower[a]);
    throw Error("body_links",
                "cell (" + at[0] + ", " + at[1] + ", " + at[2] + ") lies between a body and the " +
                    names[side] +
                    " side, whose walls belong to the step: populations that these walls reflect stay in " +
                    "that cell, but interpolation reads them elsewhere",
                "leave two cells between the body and that side, sweep that face with NoSlip instead, or, if "
                "the body uses bounce-back, which reads only its own links, give no inner_walls");
  }
}

/// All but distances. inside: cells of the block, or those around it.
void add_entries(BodyLinks& links, const Domain& domain, const Box& block, const Box& around, bool inside,
                 std::span<const Velocity> velocities) {
  for (std::int64_t z = around.lower[2]; z < around.upper[2]; ++z) {
    for (std::int64_t y = around.lower[1]; y < around.upper[1]; ++y) {
      for (std::int64_t x = around.lower[0]; x < around.upper[0]; ++x) {
        const Cell cell{x, y, z};
        if (block.contains(cell) != inside || domain.at(cell) != Domain::Kind::fluid) continue;
        std::uint32_t mask = 0, linear = 0;
        for (std::size_t q = 0; q < velocities.size(); ++q) {
          if (domain.at(moved(cell, velocities[q], -1)) != Domain::Kind::body) continue;
          mask |= std::uint32_t{1} << q;
          if (domain.at(moved(cell, velocities[q], 2)) != Domain::Kind::fluid)
            linear |= std::uint32_t{1} << q;
        }
        if (mask == 0) continue;
        for (std::size_t a = 0; a < 3; ++a)
          links.cells[a].push_back(static_cast<std::int32_t>(cell[a] - block.lower[a]));
        links.mask.push_back(mask);
        links.linear.push_back(linear);
        links.links += std::popcount(mask);
      }
    }
  }
}

} // namespace

BodyLinks body_links(const Cell& extent, std::span<const std::uint8_t> solid, const Box& block,
                     int ghost_layers, std::span<const Velocity> velocities,
                     const std::array<bool, 3>& periodic, std::uint32_t inner_walls) {
  check(extent, solid, block, ghost_layers, velocities);
  std::array<int, 3> layers{}; // none across the plane of a lattice in two dimensions
  for (const Velocity& c : velocities) {
    for (std::size_t a = 0; a < 3; ++a) {
      if (c[a] != 0) layers[a] = ghost_layers;
    }
  }
  BodyLinks links;
  const Domain domain(extent, solid, periodic);
  add_entries(links, domain, block, block, true, velocities);
  links.own = std::ssize(links.mask);
  if (ghost_layers > 0) add_entries(links, domain, block, block.grow(layers), false, velocities);
  check_clear(links, block, extent, periodic, inner_walls);
  return links;
}

BodyLinks body_links(const Mesh& mesh, const VoxelGrid& grid, std::span<const std::uint8_t> solid,
                     const Box& block, int ghost_layers, std::span<const Velocity> velocities,
                     const std::array<bool, 3>& periodic, std::uint32_t inner_walls) {
  BodyLinks links = body_links(grid.extent, solid, block, ghost_layers, velocities, periodic, inner_walls);
  std::vector<std::uint8_t> fluid(solid.size());
  std::ranges::transform(solid, fluid.begin(), [](std::uint8_t s) { return s == 0 ? 1 : 0; });
  links.distance.resize(velocities.size());
  if (links.mask.empty()) return links;
  const std::array<Link, 1> some{{{1, {-1, 0, 0}, 2}}}; // the list is for its cells alone
  const IndexList list({{0, 0, 0}, grid.extent}, fluid, periodic, some);
  const WallLinks walls = wall_links(mesh, grid, solid, list, velocities, periodic);
  links.assumed = walls.assumed;
  std::vector<std::size_t> entries(static_cast<std::size_t>(list.count()));
  for (std::size_t i = 0; i < walls.cells.size(); ++i)
    entries[walls.cells[i]] = i;
  const Domain domain(grid.extent, solid, periodic);
  for (std::vector<double>& values : links.distance)
    values.reserve(links.mask.size());
  for (std::size_t i = 0; i < links.mask.size(); ++i) {
    Cell cell{};
    for (std::size_t a = 0; a < 3; ++a)
      cell[a] = links.cells[a][i] + block.lower[a];
    static_cast<void>(domain.bring_inside(cell)); // cells beyond faces have no entry
    const std::size_t entry = entries[static_cast<std::size_t>(list.cell_of(cell[0], cell[1], cell[2]))];
    for (std::size_t q = 0; q < velocities.size(); ++q)
      links.distance[q].push_back(walls.distance[q][entry]);
  }
  return links;
}

} // namespace heddle::geometry
