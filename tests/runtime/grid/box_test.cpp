// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/box.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "heddle/core/error.hpp"

namespace {

using heddle::Box;

TEST(Error, SaysWhereWhyAndWhatToDo) {
  const heddle::Error error("Field", "no memory", "use less");
  EXPECT_STREQ(error.what(), "Field: no memory. Hint: use less");
  EXPECT_EQ(error.where(), "Field");
  EXPECT_EQ(error.reason(), "no memory");
  EXPECT_EQ(error.hint(), "use less");
  EXPECT_STREQ(heddle::Error("Field", "no memory").what(), "Field: no memory");
}

TEST(Box, CountsCells) {
  const Box box{{-1, 2, 3}, {4, 6, 4}};
  EXPECT_EQ(box.extents(), (std::array<std::int64_t, 3>{5, 4, 1}));
  EXPECT_EQ(box.volume(), 20);
  EXPECT_TRUE(box.contains({-1, 2, 3}));
  EXPECT_FALSE(box.contains({4, 2, 3}));
  EXPECT_EQ((Box{{3, 0, 0}, {1, 5, 5}}.volume()), 0);
  EXPECT_EQ(heddle::to_string(box), "[-1, 4) x [2, 6) x [3, 4)");
}

TEST(Box, GrowsShiftsAndIntersects) {
  const Box box{{0, 0, 0}, {4, 5, 6}};
  EXPECT_EQ(box.grow({1, 0, 2}), (Box{{-1, 0, -2}, {5, 5, 8}}));
  EXPECT_EQ(box.grow(1).grow(-1), box);
  EXPECT_EQ(box.shift({1, -2, 3}), (Box{{1, -2, 3}, {5, 3, 9}}));
  EXPECT_EQ(box.intersect(box.shift({1, -2, 3})), (Box{{1, 0, 3}, {4, 3, 6}}));
  EXPECT_TRUE(box.intersect(box.shift({4, 0, 0})).empty());
  EXPECT_TRUE(box.grow(1).covers(box));
  EXPECT_FALSE(box.covers(box.grow(1)));
}

TEST(Box, SubtractCoversEachCellOnce) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> place(-3, 4);
  std::uniform_int_distribution<std::int64_t> length(0, 5);
  const auto draw = [&] {
    Box box;
    for (std::size_t d = 0; d < 3; ++d) {
      box.lower[d] = place(random);
      box.upper[d] = box.lower[d] + length(random);
    }
    return box;
  };
  for (int trial = 0; trial < 300; ++trial) {
    const Box a = draw();
    const Box b = draw();
    const std::vector<Box> pieces = heddle::subtract(a, b);
    EXPECT_LE(pieces.size(), 6U);
    for (std::int64_t z = -4; z < 10; ++z) {
      for (std::int64_t y = -4; y < 10; ++y) {
        for (std::int64_t x = -4; x < 10; ++x) {
          int times = 0;
          for (const Box& piece : pieces)
            times += piece.contains({x, y, z}) ? 1 : 0;
          ASSERT_EQ(times, a.contains({x, y, z}) && !b.contains({x, y, z}) ? 1 : 0);
        }
      }
    }
  }
}

} // namespace
