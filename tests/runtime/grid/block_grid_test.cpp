// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/block_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/io/output.hpp"
#include "heddle/reduction/reduction.hpp"

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

TEST(BlockGrid, OneBlockNeedsNoNamesOfTypes) {
  const std::int64_t n_x = 8;
  const BlockGrid grid({{0, 0, 0}, {n_x, 4, 1}});
  EXPECT_EQ(grid.domain(), (Box{{0, 0, 0}, {8, 4, 1}}));
  EXPECT_EQ(grid.size(), 1);
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

TEST(BlockGrid, BalancedBlocksFollowTheCurve) {
  for (const std::array<int, 3>& blocks : {std::array<int, 3>{8, 8, 8}, {4, 4, 4}, {16, 2, 2}, {3, 5, 2}}) {
    const Box box{{0, 0, 0}, {blocks[0], blocks[1], blocks[2]}};
    const std::vector<std::int64_t> weights(static_cast<std::size_t>(box.volume()), 1);
    const BlockGrid grid = BlockGrid::balanced(box, blocks, {false, false, false}, 1, weights);
    ASSERT_EQ(grid.size(), box.volume());
    std::set<std::array<int, 3>> places;
    int jumps = 0; // where the curve leaves the grid and comes back elsewhere
    for (int b = 0; b < grid.size(); ++b) {
      places.insert(grid.place(b));
      EXPECT_EQ(grid.index(grid.place(b)), b);
      EXPECT_EQ(grid.owner(grid.block(b).lower), b);
      if (b == 0) continue;
      int distance = 0;
      for (std::size_t d = 0; d < 3; ++d)
        distance += std::abs(grid.place(b)[d] - grid.place(b - 1)[d]);
      jumps += distance == 1 ? 0 : 1;
    }
    EXPECT_EQ(static_cast<std::int64_t>(places.size()), box.volume());
    if (blocks[0] == blocks[1] && blocks[0] == blocks[2]) {
      EXPECT_EQ(jumps, 0); // a cube of 2^k: each block touches the next
    } else {
      EXPECT_LT(jumps, grid.size() / 2);
    }
  }
}

TEST(BlockGrid, RanksOfABalancedGridOwnLikeWeights) {
  const std::array<int, 3> blocks{8, 8, 4};
  const Box box{{-5, 0, 0}, {59, 64, 32}};
  std::minstd_rand random(1);
  std::vector<std::int64_t> weights;
  std::int64_t sum = 0;
  std::int64_t heaviest = 0;
  int empty = 0;
  for (int place = 0; place < 256; ++place) {
    weights.push_back(random() % 4 == 0 ? 0 : static_cast<std::int64_t>(random() % 512) + 1);
    sum += weights.back();
    heaviest = std::max(heaviest, weights.back());
    empty += weights.back() == 0 ? 1 : 0;
  }
  for (const int ranks : {1, 2, 3, 4, 8, 27}) {
    const BlockGrid grid = BlockGrid::balanced(box, blocks, {true, false, true}, ranks, weights);
    EXPECT_EQ(grid.size(), 256 - empty);
    EXPECT_EQ(grid.first_block(ranks), grid.size());
    for (int rank = 0; rank < ranks; ++rank) {
      std::int64_t weight = 0;
      for (int b = grid.first_block(rank); b < grid.first_block(rank + 1); ++b) {
        const auto [x, y, z] = grid.place(b);
        const int place = x + 8 * (y + 8 * z);
        weight += weights[static_cast<std::size_t>(place)];
        EXPECT_EQ(grid.rank(b), rank);
      }
      EXPECT_LE(std::abs(weight - sum / ranks), heaviest) << rank << " of " << ranks;
    }
  }
  const BlockGrid grid = BlockGrid::balanced(box, blocks, {true, false, true}, 3, weights);
  for (int place = 0; place < 256; ++place) {
    const std::array<int, 3> at{place % 8, place / 8 % 8, place / 64};
    const int b = grid.index(at);
    EXPECT_EQ(b == -1, weights[static_cast<std::size_t>(place)] == 0);
    EXPECT_EQ(grid.owner(grid.cells_at(at).lower), b);
    if (b >= 0) {
      EXPECT_EQ(grid.neighbour(b, {1, 0, 0}), grid.index({(at[0] + 1) % 8, at[1], at[2]}));
    }
  }
}

TEST(BlockGrid, SlabsShareOutWhatWeighs) {
  const Box domain{{1, -2, 3}, {5, 8, 7}}; // y is the longest axis
  std::vector<std::uint8_t> weights;
  std::int64_t all = 0;
  for (std::int64_t z = 3; z < 7; ++z) {
    for (std::int64_t y = -2; y < 8; ++y) {
      for (std::int64_t x = 1; x < 5; ++x) {
        weights.push_back(y >= 4 ? 1 : 0); // nothing in the first six layers
        all += weights.back();
      }
    }
  }
  const BlockGrid two = BlockGrid::slabs(domain, {false, true, false}, 2, weights);
  EXPECT_EQ(two.blocks(), (std::array<int, 3>{1, 2, 1}));
  EXPECT_EQ(two.block(0), (Box{{1, -2, 3}, {5, 6, 7}}));
  EXPECT_EQ(two.block(1), (Box{{1, 6, 3}, {5, 8, 7}}));
  EXPECT_EQ(two.rank(1), 1);
  EXPECT_EQ(two.neighbour(0, {0, -1, 0}), 1);
  for (std::int64_t y = -2; y < 8; ++y)
    EXPECT_EQ(two.owner({2, y, 4}), y < 6 ? 0 : 1);
  EXPECT_EQ(two.on_one_rank().block(1), two.block(1));
  EXPECT_EQ(two.on_one_rank().first_block(1), 2);
  EXPECT_EQ(BlockGrid::slabs(domain, {false, true, false}, 1, weights).block(0), domain);
  EXPECT_THROW((void)BlockGrid::slabs(domain, {false, true, false}, 11, weights), heddle::Error);
  weights.pop_back();
  EXPECT_THROW((void)BlockGrid::slabs(domain, {false, true, false}, 2, weights), heddle::Error);
  // Of equally long axes the last: its slabs are whole pieces of memory.
  const std::vector<std::uint8_t> cube(27, 1);
  EXPECT_EQ(BlockGrid::slabs({{0, 0, 0}, {3, 3, 3}}, {}, 3, cube).blocks(), (std::array<int, 3>{1, 1, 3}));
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
  const auto balanced = [&](int ranks, const std::vector<std::int64_t>& weights) {
    return BlockGrid::balanced(box, {2, 2, 1}, {false, false, false}, ranks, weights).size();
  };
  EXPECT_EQ(balanced(2, {1, 0, 0, 5}), 2);
  EXPECT_THROW(balanced(3, {1, 0, 0, 5}), heddle::Error);
  EXPECT_THROW(balanced(1, {1, -1, 0, 5}), heddle::Error);
  EXPECT_THROW(balanced(1, {1, 1, 1}), heddle::Error);
  EXPECT_THROW((void)BlockGrid(box).index({0, 0, 1}), heddle::Error);
}

} // namespace
