// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/block_part.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace {

using heddle::BlockGrid;
using heddle::BlockPart;
using heddle::Box;

TEST(BlockPart, BorderAndInteriorAreTheBlockAndNeverMeet) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::array<std::int64_t, 4> extent{1, 1, 1, 1};
    for (std::size_t d = 0; d < 3; ++d)
      extent[d] += static_cast<std::int64_t>(random() % 9);
    BlockPart part;
    for (int& width : part.width)
      width = static_cast<int>(random() % 3);
    std::multiset<std::array<std::int64_t, 3>> cells;
    const auto take = [&] {
      for (const Box& box : part.boxes(extent)) {
        EXPECT_FALSE(box.empty());
        for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
          for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
            for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x)
              cells.insert({x, y, z});
          }
        }
      }
    };
    part.cells = BlockPart::Cells::border;
    take();
    for (const std::array<std::int64_t, 3>& cell : cells) {
      bool near = false;
      for (std::size_t d = 0; d < 3; ++d)
        near = near || cell[d] < part.width[d] || cell[d] >= extent[d] - part.width[d];
      EXPECT_TRUE(near);
    }
    part.cells = BlockPart::Cells::interior;
    part.slices = 1 + static_cast<int>(random() % 4);
    for (part.slice = 0; part.slice < part.slices; ++part.slice)
      take();
    EXPECT_EQ(cells.size(), static_cast<std::size_t>(extent[0] * extent[1] * extent[2])) << trial;
    EXPECT_EQ(std::set(cells.begin(), cells.end()).size(), cells.size()) << trial;
  }
}

TEST(BlockPart, BordersCanBeHadBoxByBox) {
  for (const int width : {1, 2, 3}) { // 3: there is no interior, and the border is one box
    const std::array<std::int64_t, 4> extent{5, 4, 6, 1};
    BlockPart part{.cells = BlockPart::Cells::border, .width = {0, width, width}};
    const std::vector<Box> all = part.boxes(extent);
    EXPECT_EQ(all.size(), width == 1 ? 4U : 1U);
    std::vector<Box> one_by_one;
    for (part.box = 0; part.box < 6; ++part.box) {
      for (const Box& box : part.boxes(extent))
        one_by_one.push_back(box);
    }
    EXPECT_EQ(one_by_one, all);
  }
}

TEST(BlockPart, OnlyAxesToOtherRanksHaveBorders) {
  const Box domain{{0, 0, 0}, {8, 8, 8}};
  const std::array<bool, 3> periodic{true, true, true};
  using Axes = std::array<bool, 3>;
  EXPECT_EQ(heddle::axes_to_other_ranks(BlockGrid(domain, {2, 2, 2}, periodic, 1), 0),
            (Axes{false, false, false}));
  EXPECT_EQ(heddle::axes_to_other_ranks(BlockGrid(domain, {2, 2, 2}, periodic, 2), 1),
            (Axes{false, false, true}));
  EXPECT_EQ(heddle::axes_to_other_ranks(BlockGrid(domain, {2, 2, 2}, periodic, 4), 0),
            (Axes{false, true, true}));
  EXPECT_EQ(heddle::axes_to_other_ranks(BlockGrid(domain, {2, 1, 1}, periodic, 2), 0),
            (Axes{true, false, false}));
}

TEST(BlockPart, IsAViewOfItsCells) {
  double values[24];
  const heddle::FieldView<double> view(values, {2, 3, 4, 1}, {1, 2, 6, 24});
  const heddle::FieldView<double> part = heddle::part(view, Box{{1, 1, 2}, {2, 3, 4}});
  EXPECT_EQ(&part(0, 0, 0), &view(1, 1, 2));
  EXPECT_EQ(&part(0, 1, 1), &view(1, 2, 3));
  EXPECT_EQ(part.extents(), (std::array<std::int64_t, 4>{1, 2, 2, 1}));
}

} // namespace
