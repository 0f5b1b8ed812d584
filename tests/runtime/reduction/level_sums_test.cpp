// SPDX-License-Identifier: Apache-2.0
#include "heddle/reduction/level_sums.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "../../support/messages.hpp"

namespace heddle {
namespace {

using test::contains;
using test::error_of;

const Box domain{{-2, 5, 1}, {7, 18, 12}};

/// Of both signs and many magnitudes, so that the order of a sum counts.
double rough(std::int64_t y, std::int64_t z, int c) {
  return std::ldexp(std::sin(static_cast<double>(y * 37 + z * 101 + c)), static_cast<int>((y * 29) % 50));
}

Field<double> filled(const BlockGrid& grid, int rank = 0) {
  Field<double> rows(grid,
                     {.components = 2, .ghost_layers = 0, .name = "rows", .rank = rank, .same_along = 0});
  rows.fill([](std::int64_t, std::int64_t y, std::int64_t z, int c) { return rough(y, z, c); });
  return rows;
}

TEST(LevelSums, AreSumsInAscendingOrderForAnyBlocks) {
  for (const std::array<int, 3> cuts : {std::array{1, 1, 1}, {1, 3, 1}, {1, 2, 4}}) {
    const Field<double> rows = filled(BlockGrid(domain, cuts));
    const std::vector<std::vector<double>> all = all_level_sums(rows);
    ASSERT_EQ(all.size(), 2U);
    for (int c = 0; c < 2; ++c) {
      const std::vector<double> found = level_sums(rows, c);
      EXPECT_EQ(all[static_cast<std::size_t>(c)], found);
      ASSERT_EQ(found.size(), 11U);
      for (std::int64_t z = 1; z < 12; ++z) {
        double expected = 0;
        for (std::int64_t y = 5; y < 18; ++y)
          expected += rough(y, z, c);
        EXPECT_EQ(found[static_cast<std::size_t>(z - 1)], expected) << z;
      }
    }
  }
}

TEST(LevelSums, EachRankHasItsLevels) {
  const BlockGrid grid(domain, {1, 1, 2}, {false, false, false}, 2);
  const std::vector<double> whole = level_sums(filled(BlockGrid(domain)), 1);
  const std::vector<double> first = level_sums(filled(grid, 0), 1);
  const std::vector<double> second = level_sums(filled(grid, 1), 1);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_TRUE(first[k] == 0 || second[k] == 0) << k;
    EXPECT_EQ(first[k] + second[k], whole[k]) << k;
  }
}

TEST(LevelSums, RefuseWhatHasNoWholeLevels) {
  const Field<double> cut = filled(BlockGrid(domain, {2, 1, 1}));
  EXPECT_TRUE(contains(error_of([&] { (void)level_sums(cut); }), "'rows' has rows in 2 parts"));
  const Field<double> whole = filled(BlockGrid(domain, {1, 1, 1}));
  EXPECT_TRUE(contains(error_of([&] { (void)level_sums(whole, 2); }), "has no component 2"));
  const Field<double> half = filled(BlockGrid(domain, {1, 2, 1}, {false, false, false}, 2));
  EXPECT_TRUE(contains(error_of([&] { (void)level_sums(half); }), "of 13 rows of level 0 on rank 0"));
}

} // namespace
} // namespace heddle
