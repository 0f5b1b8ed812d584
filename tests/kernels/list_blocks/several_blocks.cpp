// SPDX-License-Identifier: Apache-2.0
// Lists of ranks that have several blocks equal one list bit for bit: blocks cut evenly, and blocks shared by
// their listed cells along Hilbert's curve, empty ones left out.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../../support/numbers_of_ranks.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/reduction/reduction.hpp"
#include "heddle/transport/thread_group.hpp"
#include "list_blocks_sweeps.hpp"
#include "lists.hpp"

namespace {

const std::array<bool, 3> around{true, true, true};

/// All ranks of a group of threads, each with the list of its blocks.
void expect_equal(const lists::Method& method, const lists::Medium& medium,
                  const std::vector<double>& expected, const heddle::BlockGrid& grid,
                  const lists::How& how = {}) {
  const heddle::FlagReader flags = heddle::flags_in_memory(medium.flags, lists::domain, medium.periodic);
  heddle::ThreadGroup network(grid.ranks());
  std::atomic<std::int64_t> differences = 0;
  std::atomic<std::int64_t> cells = 0;
  network.run([&](heddle::Transport& transport) {
    const heddle::Environment one_thread(
        {.threads = 1}); // to start more for each rank takes longer than the steps
    heddle::IndexList list(grid, transport.rank(), flags, method.links, heddle::Memory::host, medium.slips);
    cells += list.count();
    const std::unique_ptr<lists::Rank> rank = method.make(std::move(list), transport);
    lists::run(*rank, lists::pairs, how.options, how.poisoned);
    const std::vector<double> found = rank->values();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto cell = static_cast<std::int64_t>(i) % lists::domain.volume();
      const int block = grid.owner({cell % 12 - 2, cell / 12 % 9, cell / 108 + 3});
      const bool own = block >= 0 && grid.rank(block) == transport.rank();
      if (found[i] != (own ? expected[i] : 0.0)) ++differences;
    }
  });
  EXPECT_EQ(differences, 0) << method.name << " on " << grid.ranks() << " of " << grid.size() << " blocks";
  EXPECT_EQ(cells, medium.whole(method.links).count());
}

TEST(SeveralBlocks, OnAnyNumberOfRanksEqualOneList) {
  const lists::Medium porous(0.4);
  const std::vector<lists::Method>& methods = lists::methods();
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const std::vector<double> expected = lists::alone(methods[i], porous);
    const bool bounced = methods[i].is_double() && !methods[i].stores_solid();
    const bool every = bounced || methods[i].name == "EsoTwist full-way f64" || lists::all_tests();
    const std::size_t patterns = methods.size() / 3;
    for (const int ranks : test::numbers_of_ranks()) { // the others on each in one precision or another
      if (every || static_cast<std::size_t>(ranks) % 3 == (i + i / patterns) % 3)
        expect_equal(methods[i], porous, expected,
                     heddle::BlockGrid(lists::domain, {3, 3, 3}, around, ranks));
    }
  }
}

TEST(SeveralBlocks, ByWeightAlongACurveAndWithoutEmptyOnesEqualOneList) {
  const std::array<bool, 3> along_x{true, false, false};
  const lists::Medium periodic = lists::with_an_empty_corner(around, {});
  const lists::Medium slipping =
      lists::with_an_empty_corner(along_x, {false, false, true, false, true, true});
  const lists::Medium walled =
      lists::with_an_empty_corner(along_x, {}); // lists that hold cells know no free slip
  for (const bool channel : {false, true}) {
    for (const lists::Method& method : lists::methods()) {
      const lists::Medium& medium = !channel ? periodic : method.stores_solid() ? walled : slipping;
      const std::vector<double> expected = lists::alone(method, medium);
      for (const int ranks : test::numbers_of_ranks({1, 2, 3, 5, 8, 13, 27})) {
        if (!method.is_double() && ranks != 5 && !lists::all_tests()) continue;
        const heddle::BlockGrid grid = lists::balanced(medium, {4, 3, 3}, ranks);
        EXPECT_LT(grid.size(), grid.places());
        expect_equal(method, medium, expected, grid);
        if (ranks == 5) expect_equal(method, medium, expected, grid, {{.overlap = true, .unroll = 2}, false});
      }
    }
  }
}

TEST(SeveralBlocks, SumsFollowTheTreeOfTheDomain) {
  const lists::Medium medium = lists::with_an_empty_corner(around, {});
  const heddle::FlagReader flags = heddle::flags_in_memory(medium.flags, lists::domain, around);
  const auto value = [](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
    return test::noise(x + 100 * y + 10000 * z + c);
  };
  const heddle::IndexList one = medium.whole(list_blocks::links);
  heddle::SparseField<double> whole(one, 2);
  whole.fill(value);
  const double expected = heddle::Reduction<double>(whole, heddle::ReductionKind::sum, 1).value();
  for (const int ranks : {1, 3, 8, 20}) {
    const heddle::BlockGrid grid = lists::balanced(medium, {4, 3, 3}, ranks);
    heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
      const heddle::IndexList list(grid, transport.rank(), flags, list_blocks::links);
      heddle::SparseField<double> f(list, 2);
      f.fill(value);
      const heddle::Reduction<double> sum(f, heddle::ReductionKind::sum, transport, 1);
      EXPECT_EQ(sum.value(), expected) << ranks;
    });
  }
}

} // namespace
