// SPDX-License-Identifier: Apache-2.0
#include "heddle/block_grid.hpp"

#include <gtest/gtest.h>

#include "heddle/error.hpp"

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

TEST(BlockGrid, RefusesWhatCannotBe) {
  const Box box{{0, 0, 0}, {4, 4, 1}};
  EXPECT_THROW(BlockGrid(Box{}), heddle::Error);
  EXPECT_THROW(BlockGrid(box, {0, 1, 1}), heddle::Error);
  EXPECT_THROW(BlockGrid(box, {1, 1, 2}), heddle::Error);
  EXPECT_THROW((void)BlockGrid(box).block(1), heddle::Error);
  EXPECT_THROW((void)BlockGrid(box).index({0, 0, 1}), heddle::Error);
}

} // namespace
