// SPDX-License-Identifier: Apache-2.0
// The list of the blocks of one rank of several: its own cells, border cells last, then ghost cells, against
// the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "../../support/lattice.hpp"
#include "../../support/list_tables.hpp"
#include "heddle/core/error.hpp"
#include "heddle/device/compressed_neighbours.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/halo/halo_plan.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace {

using heddle::BlockGrid;
using heddle::BlockPart;
using heddle::Box;
using heddle::CellRange;
using heddle::IndexList;
using heddle::Link;

using Cell = std::array<std::int64_t, 3>;

const Box domain{{-3, 2, 0}, {8, 9, 6}};

std::vector<std::uint8_t> random_flags(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(domain.volume()));
  for (std::uint8_t& flag : flags)
    flag = random() % 10 < 6 ? static_cast<std::uint8_t>(1 + random() % 2) : 0;
  return flags;
}

/// The numbering, written down serially, cell by cell.
struct Reference {
  std::map<Cell, std::int64_t> number;
  std::array<std::int64_t, 3> counts{}; // interior, border, ghost cells
  std::array<bool, 3> wraps{};          // the list is periodic along the axis
  Box box;                              // the own cells lie in it

  Reference(const BlockGrid& grid, int rank, const heddle::FlagReader& flags, int reach) {
    const int first = grid.first_block(rank);
    box = grid.block(first);
    for (int block = first; block < grid.first_block(rank + 1); ++block) {
      for (std::size_t d = 0; d < 3; ++d) {
        box.lower[d] = std::min(box.lower[d], grid.block(block).lower[d]);
        box.upper[d] = std::max(box.upper[d], grid.block(block).upper[d]);
      }
    }
    const bool several = grid.first_block(rank + 1) - first > 1;
    Box around = box;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t extent = domain.upper[d] - domain.lower[d];
      const bool around_it =
          several && grid.periodic()[d] && box.upper[d] - box.lower[d] + 2 * reach > extent;
      if (grid.blocks()[d] == 1 || grid.ranks() == 1 || around_it) {
        wraps[d] = grid.periodic()[d];
        box.lower[d] = around.lower[d] = domain.lower[d];
        box.upper[d] = around.upper[d] = domain.upper[d];
      } else {
        around.lower[d] -= reach;
        around.upper[d] += reach;
      }
    }
    const auto rank_of = [&](Cell cell) { // -1 where there is no block
      for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t extent = domain.upper[d] - domain.lower[d];
        if (grid.periodic()[d]) cell[d] = domain.lower[d] + (cell[d] - domain.lower[d] + extent) % extent;
      }
      const int block = grid.owner(cell);
      return block < 0 ? -1 : grid.rank(block);
    };
    const auto in_box = [&](Cell cell) {
      for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t extent = domain.upper[d] - domain.lower[d];
        if (wraps[d]) cell[d] = domain.lower[d] + (cell[d] - domain.lower[d] + extent) % extent;
      }
      return box.contains(cell);
    };
    const auto own = [&](const Cell& cell) { return in_box(cell) && rank_of(cell) == rank; };
    const auto beside = [&](const Cell& cell, auto&& is) {
      for (int z = -reach; z <= reach; ++z) {
        for (int y = -reach; y <= reach; ++y) {
          for (int x = -reach; x <= reach; ++x) {
            if (is(Cell{cell[0] + x, cell[1] + y, cell[2] + z})) return true;
          }
        }
      }
      return false;
    };
    std::vector<std::uint8_t> listed(static_cast<std::size_t>(around.volume()));
    flags(around, listed);
    std::array<std::vector<Cell>, 3> kinds;
    std::size_t i = 0;
    for (std::int64_t z = around.lower[2]; z < around.upper[2]; ++z) {
      for (std::int64_t y = around.lower[1]; y < around.upper[1]; ++y) {
        for (std::int64_t x = around.lower[0]; x < around.upper[0]; ++x) {
          const Cell cell{x, y, z};
          if (listed[i++] == 0 || rank_of(cell) < 0) continue;
          if (own(cell)) {
            const bool border = beside(cell, [&](const Cell& c) { return rank_of(c) >= 0 && !own(c); });
            kinds[border ? 1 : 0].push_back(cell);
          } else if (beside(cell, own)) {
            kinds[2].push_back(cell);
          }
        }
      }
    }
    for (std::size_t kind = 0; kind < 3; ++kind) {
      counts[kind] = static_cast<std::int64_t>(kinds[kind].size());
      for (const Cell& cell : kinds[kind])
        number.emplace(cell, static_cast<std::int64_t>(number.size()));
    }
  }

  [[nodiscard]] std::int64_t find(Cell cell) const {
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t n = domain.upper[d] - domain.lower[d];
      if (wraps[d]) cell[d] = domain.lower[d] + (cell[d] - domain.lower[d] + n) % n;
    }
    const auto found = number.find(cell);
    return found == number.end() ? -1 : found->second;
  }
};

void check(const BlockGrid& grid, int rank, const heddle::FlagReader& flags, const std::vector<Link>& links,
           int reach) {
  const IndexList list(grid, rank, flags, links);
  const Reference reference(grid, rank, flags, reach);
  const auto [interior, border, ghosts] = reference.counts;
  ASSERT_EQ(list.box(), reference.box);
  ASSERT_EQ(list.interior(), (CellRange{0, interior}));
  ASSERT_EQ(list.border(), (CellRange{interior, interior + border}));
  ASSERT_EQ(list.all(), (CellRange{0, interior + border}));
  ASSERT_EQ(list.ghosts(), (CellRange{interior + border, interior + border + ghosts}));
  ASSERT_EQ(list.count(), interior + border);
  ASSERT_GE(list.cells(), interior + border + ghosts);
  ASSERT_GE(list.slot_stride(), list.cells());
  for (const auto& [cell, n] : reference.number) {
    ASSERT_EQ(list.cell_of(cell[0], cell[1], cell[2]), n);
    ASSERT_EQ(list.position(n), cell);
    for (std::size_t r = 0; r < links.size(); ++r) {
      const std::array<int, 3>& offset = links[r].offset;
      const std::int64_t other =
          reference.find({cell[0] + offset[0], cell[1] + offset[1], cell[2] + offset[2]});
      const std::int64_t expected = other >= 0 ? links[r].slot * list.slot_stride() + other
                                               : links[r].wall_slot * list.slot_stride() + n;
      ASSERT_EQ(list.neighbour()[static_cast<std::int64_t>(r) * list.neighbour_stride() + n], expected);
    }
  }
  // The other two tables say the same, for ghost cells too.
  check_runs(list);
  for (std::int64_t n = 0; links.size() == 18 && n < list.cells(); ++n) {
    std::uint32_t entry[18] = {};
    heddle::decode_neighbours<18>(entry, list.neighbour_chunk(), list.neighbour(), list.neighbour_stride(), n,
                                  list.cells());
    for (std::size_t r = 0; r < 18; ++r) {
      const auto own = static_cast<std::uint32_t>(links[r].wall_slot * list.slot_stride() + n);
      ASSERT_EQ(heddle::neighbour_or_wall(entry[r], own),
                list.neighbour()[static_cast<std::int64_t>(r) * list.neighbour_stride() + n]);
    }
  }
}

TEST(BlockList, AgreesWithASerialReference) {
  const std::vector<Link> far{{0, {-2, 0, 0}, 1}, {1, {0, 2, 0}, 0}, {2, {0, 0, 1}, 2}};
  unsigned seed = 0;
  for (const std::array<int, 3>& blocks :
       {std::array{1, 1, 1}, std::array{2, 1, 1}, std::array{1, 3, 2}, std::array{3, 2, 3}}) {
    for (int p = 0; p < 8; ++p) {
      const std::array<bool, 3> periodic{(p & 1) != 0, (p & 2) != 0, (p & 4) != 0};
      const std::vector<std::uint8_t> flags = random_flags(++seed);
      const heddle::FlagReader reader = heddle::flags_in_memory(flags, domain, periodic);
      const int ranks = blocks[0] * blocks[1] * blocks[2];
      const BlockGrid grid(domain, blocks, periodic, ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        check(grid, rank, reader, lattice::aa_links(), 1);
        check(grid, rank, reader, far, 2);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(BlockList, OfSeveralBlocksAgreesWithASerialReference) {
  const std::vector<Link> far{{0, {-2, 0, 0}, 1}, {1, {0, 2, 0}, 0}, {2, {0, 0, 1}, 2}};
  for (int p = 0; p < 8; ++p) {
    const std::array<bool, 3> periodic{(p & 1) != 0, (p & 2) != 0, (p & 4) != 0};
    const std::vector<std::uint8_t> flags = random_flags(static_cast<unsigned>(100 + p));
    const heddle::FlagReader reader = heddle::flags_in_memory(flags, domain, periodic);
    for (const int ranks : {1, 2, 4, 7}) {
      std::vector<std::int64_t> weights(27, 1); // blocks along a curve, of which some are left out
      weights[4] = weights[10] = weights[26] = 0;
      for (const BlockGrid& grid : {BlockGrid(domain, {3, 3, 3}, periodic, ranks),
                                    BlockGrid::balanced(domain, {3, 3, 3}, periodic, ranks, weights)}) {
        for (int rank = 0; rank < ranks; ++rank) {
          check(grid, rank, reader, lattice::aa_links(), 1);
          check(grid, rank, reader, far, 2);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(BlockList, PartsAreTheWhole) {
  const std::vector<std::uint8_t> flags = random_flags(5);
  const std::array<bool, 3> periodic{true, true, true};
  const BlockGrid grid(domain, {2, 1, 2}, periodic, 4);
  const IndexList list(grid, 1, heddle::flags_in_memory(flags, domain, periodic), lattice::aa_links());
  EXPECT_EQ(list.part(list.all(), {}), list.all());
  EXPECT_EQ(list.part(list.all(), {.cells = BlockPart::Cells::border}), list.border());
  EXPECT_EQ(list.part(list.interior(), {.cells = BlockPart::Cells::border}).size(), 0);
  std::int64_t next = 0;
  for (int slice = 0; slice < 8; ++slice) {
    const CellRange part =
        list.part(list.all(), {.cells = BlockPart::Cells::interior, .slice = slice, .slices = 8});
    EXPECT_EQ(part.first, next);
    next = part.last;
  }
  EXPECT_EQ(next, list.interior().last);
  EXPECT_GT(list.interior().size(), 10);
  EXPECT_GT(list.border().size(), 10);
}

TEST(BlockList, UsersSeeOwnCellsOnly) {
  const std::vector<std::uint8_t> flags = random_flags(7);
  const std::array<bool, 3> periodic{true, true, true};
  const BlockGrid grid(domain, {2, 2, 2}, periodic, 8);
  const IndexList list(grid, 3, heddle::flags_in_memory(flags, domain, periodic), lattice::aa_links());
  heddle::SparseField<double> f(list, 2);
  f.fill(-1.0);
  f.fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
    EXPECT_TRUE(list.box().contains({x, y, z}));
    return static_cast<double>(x + 100 * y + 10000 * z + c);
  });
  const std::vector<double> values = f.read(1);
  ASSERT_EQ(static_cast<std::int64_t>(values.size()), list.count());
  for (std::int64_t n = 0; n < list.count(); ++n) {
    const auto [x, y, z] = list.position(n);
    EXPECT_EQ(values[static_cast<std::size_t>(n)], static_cast<double>(x + 100 * y + 10000 * z + 1));
  }
  for (std::int64_t n = list.ghosts().first; n < list.ghosts().last; ++n)
    EXPECT_EQ(f.view()(n, 0), -1.0);
  // Chosen cells are own ones, too.
  std::vector<std::uint8_t> own(static_cast<std::size_t>(list.box().volume()));
  heddle::flags_in_memory(flags, domain, periodic)(list.box(), own);
  const auto ones = list.select(own, 1).to_host();
  const auto twos = list.select(own, 2).to_host();
  EXPECT_EQ(static_cast<std::int64_t>(ones.size() + twos.size()), list.count());
  EXPECT_GT(ones.size(), 5U);
  for (const std::uint32_t n : ones) {
    const auto [x, y, z] = list.position(n);
    const Cell at{x - domain.lower[0], y - domain.lower[1], z - domain.lower[2]};
    EXPECT_EQ(flags[static_cast<std::size_t>(at[0] + 11 * (at[1] + 7 * at[2]))], 1);
  }
}

TEST(BlockList, ThinBlocksThatMeetThemselvesAreRefusedByAnExchange) {
  // Two cells along x, links that reach two: a ghost cell would be an own one.
  const Box thin{{0, 0, 0}, {2, 4, 4}};
  const std::vector<std::uint8_t> flags(32, 1);
  const std::array<bool, 3> periodic{true, true, true};
  const BlockGrid grid(thin, {2, 1, 1}, periodic, 2);
  const std::vector<Link> links{{0, {-2, 0, 0}, 1}};
  const IndexList list(grid, 0, heddle::flags_in_memory(flags, thin, periodic), links);
  heddle::SparseField<double> f(list, 2);
  constexpr std::array<heddle::HaloLink, 1> halo_links{{{0, 0}}};
  heddle::SparseExchange exchange("test", heddle::Direction::owner_to_ghost, halo_links, sizeof(double));
  exchange.add(f);
  EXPECT_THROW(heddle::HaloPlan{exchange}, heddle::Error);
}

} // namespace
