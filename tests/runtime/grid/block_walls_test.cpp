// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/block_walls.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"

namespace {

TEST(BlockWalls, StandWhereTheGridEnds) {
  const heddle::BlockGrid grid(heddle::Box{{2, 0, 0}, {10, 6, 4}}, {2, 1, 2}, {false, true, false});
  const heddle::Field<float> f(grid, {});
  EXPECT_EQ(heddle::walls_of(f, 0), 1U + 16U); // west and bottom; y is periodic
  EXPECT_EQ(heddle::walls_of(f, 1), 2U + 16U);
  EXPECT_EQ(heddle::walls_of(f, 2), 1U + 32U);
  EXPECT_EQ(heddle::walls_of(f, 3), 2U + 32U);
}

TEST(BlockWalls, OfAPartAreThoseThatItReaches) {
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {8, 6, 4}});
  const heddle::Field<float> f(grid, {});
  EXPECT_EQ(heddle::walls_of(f, 0, heddle::Box{{0, 0, 0}, {8, 6, 4}}), 63U);
  EXPECT_EQ(heddle::walls_of(f, 0, heddle::Box{{0, 1, 0}, {8, 6, 1}}), 1U + 2U + 8U + 16U);
  EXPECT_EQ(heddle::walls_of(f, 0, heddle::Box{{1, 1, 1}, {7, 5, 3}}), 0U);
}

TEST(BlockWalls, SharedOnesAreThoseOfAllBlocksOfAVector) {
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {8, 6, 8}}, {1, 1, 4}, {false, true, false});
  const heddle::Field<float> two(grid, {.interleaved = 2});
  EXPECT_EQ(heddle::shared_walls(two, 0), 1U + 2U); // the bottom is that of one block alone
  EXPECT_EQ(heddle::shared_walls(two, 3), 1U + 2U);
  EXPECT_EQ(heddle::shared_walls(two, 3, heddle::Box{{0, 0, 0}, {4, 6, 2}}), 1U);
  const heddle::Field<float> one(grid, {});
  EXPECT_EQ(heddle::shared_walls(one, 3), heddle::walls_of(one, 3));
}

} // namespace
