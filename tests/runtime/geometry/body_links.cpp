// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/body_links.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>

#include "files.hpp"
#include "heddle/core/error.hpp"
#include "heddle/geometry/wall_links.hpp"
#include "heddle/sparse/index_list.hpp"
#include "shapes.hpp"

namespace heddle::geometry {
namespace {

using test::contains;
using test::error_of;
using Cell = std::array<std::int64_t, 3>;
using Velocity = std::array<int, 3>;

constexpr std::array<bool, 3> around_x{true, false, false};
const std::vector<Velocity> d3q7{{0, 0, 0},  {1, 0, 0}, {-1, 0, 0}, {0, 1, 0},
                                 {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

/// Two spheres with a gap of two cells between them, one of them through the periodic face of a box.
struct Bodies {
  Bodies() {
    append(mesh, test::sphere({9.6, 5.5, 5.2}, 3.1, 24));
    append(mesh, test::sphere({15.2, 5.5, 5.2}, 1.4, 24));
    append(mesh, test::sphere({-0.8, 5.5, 5.2}, 1.4, 24)); // its image
    solid = voxelise(mesh, grid);
    std::ranges::transform(solid, fluid.begin(), [](std::uint8_t s) { return s == 0 ? 1 : 0; });
  }
  /// Whether a cell, at most two outside, belongs to the fluid.
  [[nodiscard]] bool is_fluid(Cell cell) const {
    cell[0] = (cell[0] + 16) % 16;
    if (cell[1] < 0 || cell[1] >= 11 || cell[2] < 0 || cell[2] >= 10) return false;
    return fluid[static_cast<std::size_t>(cell[0] + 16 * (cell[1] + 11 * cell[2]))] != 0;
  }
  static void append(Mesh& mesh, const Mesh& other) { test::append(mesh, other); }

  Mesh mesh;
  VoxelGrid grid{{0, 0, 0}, 1, {16, 11, 10}};
  std::vector<std::uint8_t> solid, fluid = std::vector<std::uint8_t>(16 * 11 * 10);
};

Cell place(const BodyLinks& links, std::size_t entry, const Box& block) {
  Cell cell{};
  for (std::size_t a = 0; a < 3; ++a)
    cell[a] = links.cells[a][entry] + block.lower[a];
  return cell;
}

TEST(BodyLinks, AreThoseOfTheListOfOtherCells) {
  const Bodies bodies;
  const std::array<Link, 1> some{{{1, {-1, 0, 0}, 2}}};
  const IndexList list({{0, 0, 0}, bodies.grid.extent}, bodies.fluid, around_x, some);
  const WallLinks expected = wall_links(bodies.mesh, bodies.grid, bodies.solid, list, d3q7, around_x);
  const Box whole{{0, 0, 0}, bodies.grid.extent};
  const BodyLinks found = body_links(bodies.mesh, bodies.grid, bodies.solid, whole, 0, d3q7, around_x, 0);
  ASSERT_EQ(found.mask.size(), expected.mask.size());
  EXPECT_EQ(found.links, expected.links);
  EXPECT_EQ(found.assumed, expected.assumed);
  EXPECT_GT(found.links, 100);
  int linear = 0;
  for (std::size_t i = 0; i < found.mask.size(); ++i) {
    const Cell cell = place(found, i, whole);
    const auto n = static_cast<std::uint32_t>(list.cell_of(cell[0], cell[1], cell[2]));
    const auto entry =
        static_cast<std::size_t>(std::ranges::find(expected.cells, n) - expected.cells.begin());
    ASSERT_LT(entry, expected.cells.size());
    EXPECT_EQ(found.mask[i], expected.mask[entry]);
    for (std::size_t q = 0; q < d3q7.size(); ++q) {
      EXPECT_EQ(found.distance[q][i], expected.distance[q][entry]);
      const bool out = (found.mask[i] >> q & 1U) != 0;
      const Cell further{cell[0] + 2 * d3q7[q][0], cell[1] + 2 * d3q7[q][1], cell[2] + 2 * d3q7[q][2]};
      EXPECT_EQ((found.linear[i] >> q & 1U) != 0, out && !bodies.is_fluid(further));
      linear += static_cast<int>(found.linear[i] >> q & 1U);
    }
  }
  EXPECT_GT(linear, 4);
}

TEST(BodyLinks, OfABlockHaveGhostCells) {
  const Bodies bodies;
  const Box whole{{0, 0, 0}, bodies.grid.extent}, right{{8, 0, 0}, bodies.grid.extent};
  const BodyLinks all = body_links(bodies.mesh, bodies.grid, bodies.solid, whole, 0, d3q7, around_x, 0);
  std::map<Cell, std::size_t> entries;
  for (std::size_t i = 0; i < all.mask.size(); ++i)
    entries[place(all, i, whole)] = i;
  for (const int ghosts : {0, 1}) {
    const BodyLinks part =
        body_links(bodies.mesh, bodies.grid, bodies.solid, right, ghosts, d3q7, around_x, 0);
    std::size_t expected = 0, beyond = 0;
    for (const auto& [cell, i] : entries)
      expected += cell[0] >= 8 || (ghosts == 1 && (cell[0] == 7 || cell[0] == 0));
    EXPECT_EQ(part.mask.size(), expected);
    for (std::size_t i = 0; i < part.mask.size(); ++i)
      EXPECT_EQ(right.contains(place(part, i, right)), static_cast<std::int64_t>(i) < part.own);
    for (std::size_t i = 0; i < part.mask.size(); ++i) {
      Cell cell = place(part, i, right);
      beyond += cell[0] == 16;
      cell[0] %= 16;
      ASSERT_TRUE(entries.contains(cell));
      const std::size_t same = entries.at(cell);
      EXPECT_EQ(part.mask[i], all.mask[same]);
      EXPECT_EQ(part.linear[i], all.linear[same]);
      for (std::size_t q = 0; q < d3q7.size(); ++q)
        EXPECT_EQ(part.distance[q][i], all.distance[q][same]);
    }
    EXPECT_EQ(beyond > 0, ghosts == 1); // cell 0 again, on the other side of the periodic face
  }
  const BodyLinks flags = body_links(bodies.grid.extent, bodies.solid, whole, 0, d3q7, around_x, 0);
  EXPECT_EQ(flags.mask, all.mask);
  EXPECT_TRUE(flags.distance.empty());
}

TEST(BodyLinks, RefuseWhatDoesNotFit) {
  const Bodies bodies;
  const Box whole{{0, 0, 0}, bodies.grid.extent};
  const auto said = [&](std::span<const std::uint8_t> solid, const Box& block, int ghosts) {
    return error_of(
        [&] { static_cast<void>(body_links(bodies.grid.extent, solid, block, ghosts, d3q7, around_x, 0)); });
  };
  EXPECT_TRUE(
      contains(said(std::span(bodies.solid).first(7), whole, 0), "7 flags were given for 1760 cells"));
  EXPECT_TRUE(contains(said(bodies.solid, whole.grow(1), 0), "reaches beyond"));
  EXPECT_TRUE(contains(said(bodies.solid, whole, -1), "-1 ghost layers"));
}

/// Of a solid layer y = `first` in a box of 9 layers.
BodyLinks beside_layer(std::int64_t first, const Box& block, int ghosts, std::uint32_t walls,
                       bool around_y = false) {
  const Cell extent{4, 9, 2};
  std::vector<std::uint8_t> solid(72);
  for (std::int64_t n = 0; n < 72; ++n)
    solid[static_cast<std::size_t>(n)] = n / 4 % 9 == first ? 1 : 0;
  return body_links(extent, solid, block, ghosts, d3q7, {false, around_y, false}, walls);
}

TEST(BodyLinks, KeepClearOfWallsWithinTheStep) {
  const Box whole{{0, 0, 0}, {4, 9, 2}}, lower{{0, 0, 0}, {4, 4, 2}}, middle{{0, 4, 0}, {4, 8, 2}},
      last{{0, 8, 0}, {4, 9, 2}};
  constexpr std::uint32_t south = 4, north = 8;
  const auto said = [](std::int64_t first, const Box& block, int ghosts, std::uint32_t walls) {
    return error_of([&] { static_cast<void>(beside_layer(first, block, ghosts, walls)); });
  };
  EXPECT_TRUE(
      contains(said(1, whole, 0, south),
               "cell (0, 0, 0) lies between a body and the south side, whose walls belong to the step"));
  EXPECT_TRUE(contains(said(7, whole, 0, south + north), "cell (0, 8, 0) lies between a body and the north"));
  EXPECT_EQ(beside_layer(2, whole, 0, south + north).own, 16); // two cells between
  EXPECT_EQ(beside_layer(6, whole, 0, south + north).own, 16);
  EXPECT_EQ(beside_layer(1, whole, 0, north).own, 16); // other walls, or none
  EXPECT_EQ(beside_layer(1, whole, 0, 0).own, 16);
  EXPECT_EQ(beside_layer(1, whole, 0, south + north, true).own, 16); // around a period there is no side
  // Ends of blocks are no sides; a block that has the cell says so, in its ghost layer, too.
  EXPECT_EQ(beside_layer(3, middle, 1, south + north).own, 8);
  EXPECT_EQ(beside_layer(2, lower, 1, south + north).own, 16);
  EXPECT_EQ(beside_layer(7, middle, 0, north).own, 8);
  EXPECT_TRUE(contains(said(7, middle, 1, north), "cell (0, 8, 0)"));
  EXPECT_TRUE(contains(said(7, last, 0, north), "cell (0, 8, 0)"));
}

} // namespace
} // namespace heddle::geometry
