// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/index_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../support/messages.hpp"
#include "../../support/some_solid.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/halo/halo_plan.hpp"
#include "heddle/sparse/neighbour_indices.hpp"
#include "heddle/sparse/wall_masks.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Box;
using heddle::Error;
using heddle::IndexList;
using heddle::Link;
using test::some_solid;
using Cell = std::array<std::int64_t, 3>;

/// EsoTwist's three rows.
const std::vector<Link> pointers{
    {0, {1, 0, 0}, Link::to_cell}, {0, {0, 1, 0}, Link::to_cell}, {0, {0, 0, 1}, Link::to_cell}};

TEST(SolidBoundaryNodes, HoldsTheCellsBehindWalls) {
  const Box box{{-2, 0, 7}, {9, 6, 12}};
  const std::vector<std::uint8_t> flags = some_solid(box, 2);
  for (int p = 0; p < 8; ++p) {
    const std::array<bool, 3> periodic{(p & 1) != 0, (p & 2) != 0, (p & 4) != 0};
    const IndexList list(box, flags, periodic, pointers);
    // every cell at {0, 1}^3 of a listed one, wrapped on periodic axes, once
    std::map<Cell, std::int64_t> number;
    std::set<Cell> closure;
    for (std::int64_t n = 0; n < list.count(); ++n) {
      number[list.position(n)] = n;
      for (std::int64_t k = 0; k < 8; ++k) {
        Cell cell = list.position(n);
        std::int64_t reached = n;
        for (std::size_t d = 0; d < 3; ++d) {
          if ((k >> d & 1) == 0) continue;
          ++cell[d];
          if (periodic[d] && cell[d] == box.upper[d]) cell[d] = box.lower[d];
          reached = list.neighbour()[static_cast<std::int64_t>(d) * list.neighbour_stride() + reached];
        }
        closure.insert(cell);
        const auto known = number.emplace(cell, reached).first;
        ASSERT_EQ(known->second, reached) << "two numbers for one cell, or two cells of one number";
        ASSERT_EQ(list.cell_of(cell[0], cell[1], cell[2]) >= 0, reached < list.count());
      }
    }
    ASSERT_EQ(list.count() + list.solid_nodes(), static_cast<std::int64_t>(closure.size()));
    std::set<std::int64_t> numbers;
    for (const auto& [cell, n] : number)
      numbers.insert(n);
    ASSERT_EQ(numbers.size(), closure.size());
    ASSERT_EQ(*numbers.rbegin(), list.count() + list.solid_nodes() - 1);
    ASSERT_GE(list.cells(), list.count() + list.solid_nodes());
    ASSERT_EQ(list.neighbour_run(), nullptr);
    ASSERT_EQ(list.neighbour_chunk(), nullptr);
  }
}

/// Every own cell at {0, 1}^3 of a cell or a ghost cell, and every cell there of an own one, has one number.
void check_block(const BlockGrid& grid, int rank, const std::vector<std::uint8_t>& flags) {
  const IndexList list(grid, rank, heddle::flags_in_memory(flags, grid.domain(), grid.periodic()), pointers);
  std::map<Cell, std::int64_t> number;
  for (std::int64_t n = 0; n < list.ghosts().last; ++n)
    number[list.position(n)] = n;
  const auto own = [&](const Cell& cell) { // or in a rim beyond the domain
    for (std::size_t d = 0; d < 3; ++d) {
      if (grid.blocks()[d] != 1 && !(cell[d] >= list.box().lower[d] && cell[d] < list.box().upper[d])) {
        if (grid.periodic()[d] || (cell[d] >= grid.domain().lower[d] && cell[d] < grid.domain().upper[d]))
          return false;
      }
    }
    return true;
  };
  std::set<std::int64_t> solid;
  for (std::int64_t n = 0; n < list.ghosts().last; ++n) {
    for (std::int64_t k = 0; k < 8; ++k) {
      Cell cell = list.position(n);
      std::int64_t reached = n;
      for (std::size_t d = 0; d < 3; ++d) {
        if ((k >> d & 1) == 0) continue;
        ++cell[d];
        if (grid.periodic()[d] && grid.blocks()[d] == 1 && cell[d] == list.box().upper[d])
          cell[d] = list.box().lower[d];
        reached = list.neighbour()[static_cast<std::int64_t>(d) * list.neighbour_stride() + reached];
      }
      if (n >= list.count() && !own(cell)) continue; // nobody here asks
      const auto known = number.emplace(cell, reached).first;
      ASSERT_EQ(known->second, reached) << "two numbers for one cell";
      ASSERT_EQ(list.is_copy(reached), !own(cell));
      if (reached >= list.ghosts().last) solid.insert(reached);
      if (list.is_copy(reached)) {
        ASSERT_EQ(list.position(reached), cell);
      }
    }
  }
  ASSERT_LE(solid.size(), static_cast<std::size_t>(list.solid_nodes()));
  ASSERT_EQ(number.size(), static_cast<std::size_t>(list.ghosts().last) + solid.size())
      << "one number for two";
}

TEST(SolidBoundaryNodes, BlocksHoldWhatTheirCellsAndGhostCellsReach) {
  const Box box{{-2, 0, 7}, {9, 6, 12}};
  const std::vector<std::uint8_t> flags = some_solid(box, 2);
  for (const std::array<int, 3>& blocks : {std::array{2, 1, 1}, std::array{1, 3, 2}, std::array{2, 2, 2}}) {
    for (int p = 0; p < 8; ++p) {
      const std::array<bool, 3> periodic{(p & 1) != 0, (p & 2) != 0, (p & 4) != 0};
      const int ranks = blocks[0] * blocks[1] * blocks[2];
      const BlockGrid grid(box, blocks, periodic, ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        check_block(grid, rank, flags);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(SolidBoundaryNodes, OfWhatLiesInNoBlockTheEndThatComesFirstIsTheKeeper) {
  // A link from (2, 1) to (1, 2), whose populations EsoTwist keeps in (2, 2): solid, and its block left out.
  const Box box{{0, 0, 0}, {4, 4, 1}};
  std::vector<std::uint8_t> flags(16, 1);
  for (const std::size_t solid : {10U, 11U, 14U, 15U})
    flags[solid] = 0;
  const std::array<bool, 3> closed{false, false, false};
  const std::vector<std::int64_t> weights{4, 4, 4, 0};
  const BlockGrid grid = BlockGrid::balanced(box, {2, 2, 1}, closed, 3, weights);
  const int first = grid.rank(grid.owner({2, 1, 0}));
  const int second = grid.rank(grid.owner({1, 2, 0}));
  // What is reached in component 1: from (2, 1) at (0, 1), from (1, 2) at (1, 0).
  static constexpr std::array<heddle::HaloLink, 1> from_first{{{0, 1, 1, {-1, 1, 0}}}};
  static constexpr std::array<heddle::HaloLink, 1> from_second{{{0, 0, 1, {1, -1, 0}}}};
  const auto bytes = [&](int rank, int peer, std::span<const heddle::HaloLink> links) {
    const IndexList list(grid, rank, heddle::flags_in_memory(flags, box, closed), pointers);
    heddle::SparseField<double> f(list, 2);
    heddle::SparseExchange exchange("step", heddle::Direction::owner_to_ghost, links, sizeof(double));
    exchange.add(f);
    const heddle::HaloPlan plan(exchange);
    std::size_t sent = 0;
    std::size_t received = 0;
    for (const auto& segment : plan.send())
      sent += segment.peer == peer ? segment.bytes : 0;
    for (const auto& segment : plan.receive())
      received += segment.peer == peer ? segment.bytes : 0;
    return std::pair(sent, received);
  };
  // The first has what it reaches; the second is sent it.
  const std::pair<std::size_t, std::size_t> nothing{0, 0};
  EXPECT_EQ(bytes(first, second, from_first), nothing);
  EXPECT_EQ(bytes(second, first, from_first), nothing);
  EXPECT_EQ(bytes(first, second, from_second), std::pair(sizeof(double), std::size_t{0}));
  EXPECT_EQ(bytes(second, first, from_second), std::pair(std::size_t{0}, sizeof(double)));
}

TEST(SolidBoundaryNodes, RefusesSolidBoundaryNodesWhereTheyHaveNoMeaning) {
  const Box box{{0, 0, 0}, {4, 4, 4}};
  const std::vector<std::uint8_t> flags(64, 1);
  std::vector<Link> mixed = pointers;
  mixed.push_back({1, {1, 0, 0}, 2});
  EXPECT_THROW(IndexList(box, flags, {true, true, true}, mixed), Error);
  EXPECT_THROW(IndexList(box, flags, {true, true, false}, pointers, heddle::Memory::host, {},
                         {false, false, false, false, true, false}),
               Error);
}

TEST(WallMasks, MarkWhatEntersFromWalls) {
  const Box box{{3, 0, -1}, {8, 4, 2}};
  const std::vector<std::uint8_t> flags = some_solid(box, 3);
  const std::array<bool, 3> periodic{true, false, false};
  const IndexList list(box, flags, periodic, pointers);
  heddle::SparseField<std::uint32_t> walls(list, 1);
  const std::array<std::array<int, 3>, 4> velocities{{{0, 0, 0}, {1, 0, 0}, {0, -1, 0}, {-1, 0, 1}}};
  heddle::mark_walls(walls, velocities, periodic);
  for (std::int64_t n = 0; n < list.count(); ++n) {
    const auto [x, y, z] = list.position(n);
    const std::int64_t west = x == 3 ? 7 : x - 1;
    const std::int64_t east = x == 7 ? 3 : x + 1;
    EXPECT_EQ((walls.view()(n) & 2U) != 0, list.cell_of(west, y, z) < 0);
    EXPECT_EQ((walls.view()(n) & 4U) != 0, list.cell_of(x, y + 1, z) < 0);
    EXPECT_EQ((walls.view()(n) & 8U) != 0, list.cell_of(east, y, z - 1) < 0);
    EXPECT_EQ(walls.view()(n) & ~14U, 0U);
  }
  heddle::SparseField<std::uint32_t> two(list, 2);
  EXPECT_THROW(heddle::mark_walls(two, velocities, periodic), Error);
  const std::vector<std::array<int, 3>> many(33);
  EXPECT_THROW(heddle::mark_walls(walls, many, periodic), Error);
}

TEST(NeighbourIndices, AreTheOwnCellsWhereNoneAreListed) {
  const Box box{{3, 0, -1}, {8, 4, 2}};
  const std::vector<std::uint8_t> flags = some_solid(box, 3);
  const std::array<bool, 3> periodic{true, false, false};
  const IndexList list(box, flags, periodic, pointers);
  std::vector<std::uint32_t> all;
  for (std::int64_t n = 0; n < list.count(); ++n)
    all.push_back(static_cast<std::uint32_t>(n));
  const heddle::Buffer<std::uint32_t> cells{std::span<const std::uint32_t>(all)};
  const auto number = [&](const Cell& from, const std::array<int, 3>& offset, int times) {
    Cell cell = from;
    for (std::size_t a = 0; a < 3; ++a)
      cell[a] += times * offset[a];
    if (cell[0] < 3) cell[0] += 5;
    if (cell[0] >= 8) cell[0] -= 5;
    return list.cell_of(cell[0], cell[1], cell[2]);
  };
  for (const std::array<int, 3> offset :
       {std::array{-1, 0, 0}, std::array{1, 1, 0}, std::array{0, -1, 1}, std::array{1, -1, 0}}) {
    int alone = 0;
    for (const int depth : {1, 2}) {
      const auto beside = heddle::neighbour_indices(list, cells, offset, periodic, depth);
      ASSERT_EQ(beside.size(), list.count());
      for (std::int64_t n = 0; n < list.count(); ++n) {
        const std::int64_t next = number(list.position(n), offset, 1);
        const bool way = next >= 0 && (depth == 1 || number(list.position(n), offset, 2) >= 0);
        ASSERT_EQ(beside.data()[n], way ? next : n) << "depth " << depth;
        alone += !way;
      }
    }
    EXPECT_GT(alone, 0);
    EXPECT_LT(alone, 2 * list.count());
  }
  heddle::SparseField<std::uint32_t> numbers(list, 1);
  for (const std::array offset : {std::array{-1, 0, 0}, std::array{0, 1, 0}}) {
    heddle::neighbour_indices(numbers, offset, periodic);
    const auto expected = heddle::neighbour_indices(list, cells, offset, periodic);
    for (std::int64_t n = 0; n < list.count(); ++n)
      ASSERT_EQ(numbers.view()(n, 0), expected.data()[n]);
  }
  heddle::SparseField<std::uint32_t> two(list, 2);
  EXPECT_THROW(heddle::neighbour_indices(two, {1, 0, 0}, periodic), Error);
  EXPECT_EQ(heddle::neighbour_indices(list, heddle::Buffer<std::uint32_t>(), {1, 0, 0}, periodic).size(), 0);
  EXPECT_THROW((void)heddle::neighbour_indices(list, cells, {1, 0, 0}, periodic, 0), Error);
}

} // namespace
