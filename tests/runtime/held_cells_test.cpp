// SPDX-License-Identifier: Apache-2.0
#include "heddle/index_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "heddle/cells_beside.hpp"
#include "heddle/error.hpp"
#include "heddle/wall_masks.hpp"
#include "some_solid.hpp"

namespace {

using heddle::Box;
using heddle::Error;
using heddle::IndexList;
using heddle::Link;
using test::some_solid;
using Cell = std::array<std::int64_t, 3>;

/// EsoTwist's three rows.
const std::vector<Link> pointers{
    {0, {1, 0, 0}, Link::held}, {0, {0, 1, 0}, Link::held}, {0, {0, 0, 1}, Link::held}};

TEST(HeldCells, HoldsTheCellsBehindWalls) {
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
    ASSERT_EQ(list.count() + list.held(), static_cast<std::int64_t>(closure.size()));
    std::set<std::int64_t> numbers;
    for (const auto& [cell, n] : number)
      numbers.insert(n);
    ASSERT_EQ(numbers.size(), closure.size());
    ASSERT_EQ(*numbers.rbegin(), list.count() + list.held() - 1);
    ASSERT_GE(list.cells(), list.count() + list.held());
    ASSERT_EQ(list.neighbour_run(), nullptr);
    ASSERT_EQ(list.neighbour_chunk(), nullptr);
  }
}

TEST(HeldCells, RefusesHeldCellsWhereTheyHaveNoMeaning) {
  const Box box{{0, 0, 0}, {4, 4, 4}};
  const std::vector<std::uint8_t> flags(64, 1);
  std::vector<Link> mixed = pointers;
  mixed.push_back({1, {1, 0, 0}, 2});
  EXPECT_THROW(IndexList(box, flags, {true, true, true}, mixed), Error);
  EXPECT_THROW(IndexList(box, flags, {true, true, false}, pointers, heddle::Memory::host, {},
                         {false, false, false, false, true, false}),
               Error);
}

TEST(WallMasks, MarkWhatComesInFromWalls) {
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

TEST(CellsBeside, AreTheOwnCellsWhereNoneAreListed) {
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
      const auto beside = heddle::cells_beside(list, cells, offset, periodic, depth);
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
  EXPECT_EQ(heddle::cells_beside(list, heddle::Buffer<std::uint32_t>(), {1, 0, 0}, periodic).size(), 0);
  EXPECT_THROW((void)heddle::cells_beside(list, cells, {1, 0, 0}, periodic, 0), Error);
}

} // namespace
