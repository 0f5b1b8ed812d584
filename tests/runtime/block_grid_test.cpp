// SPDX-License-Identifier: Apache-2.0
#include "heddle/block_grid.hpp"

#include <gtest/gtest.h>

#include "heddle/error.hpp"
#include "heddle/field.hpp"
#include "heddle/output.hpp"
#include "heddle/reduction.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Box;

TEST(BlockGrid, BlocksCoverTheDomainOnce) {
  const BlockGrid grid(Box{{-2, 3, 0}, {9, 10, 5}}, {3, 2, 5});
  ASSERT_EQ(grid.size(), 30);
  for (std::int64_t z = 0; z < 5; ++z) {
    for (std::int64_t y = 3; y < 10; ++y) {
      for (std::int64_t x = -2; x < 9; ++x) {
        int owners = 0;
        int owner = -1;
        for (int b = 0; b < grid.size(); ++b) {
          if (!grid.block(b).contains({x, y, z})) continue;
          ++owners;
          owner = b;
        }
        ASSERT_EQ(owners, 1);
        ASSERT_EQ(grid.owner({x, y, z}), owner);
      }
    }
  }
  EXPECT_EQ(grid.owner({9, 3, 0}), -1);
}

TEST(BlockGrid, SizesDifferByAtMostOne) {
  const BlockGrid grid(Box{{0, 0, 0}, {103, 1, 1}}, {7, 1, 1});
  for (int b = 0; b < 7; ++b) {
    EXPECT_GE(grid.block(b).extent(0), 14);
    EXPECT_LE(grid.block(b).extent(0), 15);
  }
}

TEST(BlockGrid, NeighboursWrapOnPeriodicAxesOnly) {
  const BlockGrid grid(Box{{0, 0, 0}, {8, 8, 8}}, {2, 2, 2}, {true, false, false});
  EXPECT_EQ(grid.neighbour(0, {1, 0, 0}), 1);
  EXPECT_EQ(grid.neighbour(0, {-1, 0, 0}), 1);
  EXPECT_EQ(grid.neighbour(0, {2, 0, 0}), 0);
  EXPECT_EQ(grid.neighbour(0, {-1, 1, 1}), 7);
  EXPECT_EQ(grid.neighbour(0, {0, -1, 0}), -1);
  EXPECT_EQ(grid.neighbour(7, {0, 0, 1}), -1);
  EXPECT_EQ(grid.index(grid.place(5)), 5);
  EXPECT_EQ(grid.rank(5), 0);
}

TEST(BlockGrid, RanksOwnBlocksThatFollowEachOther) {
  const Box box{{0, 0, 0}, {13, 1, 1}};
  for (int ranks = 1; ranks <= 13; ++ranks) {
    const BlockGrid grid(box, {13, 1, 1}, {false, false, false}, ranks);
    EXPECT_EQ(grid.ranks(), ranks);
    EXPECT_EQ(grid.first_block(ranks), 13);
    for (int rank = 0; rank < ranks; ++rank) {
      const int count = grid.first_block(rank + 1) - grid.first_block(rank);
      EXPECT_GE(count, 13 / ranks);
      EXPECT_LE(count, (13 + ranks - 1) / ranks);
      for (int b = grid.first_block(rank); b < grid.first_block(rank + 1); ++b)
        EXPECT_EQ(grid.rank(b), rank) << b << " of " << ranks;
    }
  }
}

TEST(BlockGrid, WhatNeedsAllBlocksRefusesAShareOfThem) {
  const BlockGrid shared(Box{{0, 0, 0}, {4, 1, 1}}, {2, 1, 1}, {false, false, false}, 2);
  heddle::Field<double> part(shared);
  EXPECT_EQ(part.blocks(), 1);
  EXPECT_THROW((void)heddle::Reduction<double>(part, heddle::ReductionKind::sum).value(), heddle::Error);
  EXPECT_THROW(heddle::Output("folder", "name", shared), heddle::Error);
}

TEST(BlockGrid, RefusesWhatCannotBe) {
  const Box box{{0, 0, 0}, {4, 4, 1}};
  EXPECT_THROW(BlockGrid(Box{}), heddle::Error);
  EXPECT_THROW(BlockGrid(box, {0, 1, 1}), heddle::Error);
  EXPECT_THROW(BlockGrid(box, {1, 1, 2}), heddle::Error);
  EXPECT_THROW(BlockGrid(box, {2, 1, 1}, {false, false, false}, 3), heddle::Error);
  EXPECT_THROW(BlockGrid(box, {2, 1, 1}, {false, false, false}, 0), heddle::Error);
  EXPECT_THROW((void)BlockGrid(box).block(1), heddle::Error);
  EXPECT_THROW((void)BlockGrid(box).index({0, 0, 1}), heddle::Error);
}

} // namespace
