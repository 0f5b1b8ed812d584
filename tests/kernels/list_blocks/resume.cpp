// SPDX-License-Identifier: Apache-2.0
// A run that stops, and goes on from its checkpoint on other ranks and blocks, ends in the bits of one that
// was not disturbed: every pattern on lists.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../support/test_folder.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/thread_group.hpp"
#include "lists.hpp"

namespace {

using heddle::BlockGrid;

/// One pair of steps, after which the state is on the disk.
void stop(const lists::Method& method, const lists::Medium& medium, const BlockGrid& grid,
          const std::filesystem::path& folder) {
  const heddle::FlagReader flags = heddle::flags_in_memory(medium.flags, lists::domain, medium.periodic);
  heddle::ThreadGroup(grid.ranks()).run([&](heddle::Transport& transport) {
    const heddle::Environment one_thread({.threads = 1});
    const auto rank = method.make({grid, transport.rank(), flags, method.links}, transport);
    heddle::TaskGraph loop;
    rank->add_to(loop, true);
    loop.run(1);
    heddle::Checkpoint checkpoint(folder, "run", transport);
    rank->add_to(checkpoint, transport);
    checkpoint.write(2);
  });
}

/// The steps that are left: how many values are others than those of the run that did not stop.
std::int64_t differences_after(const lists::Method& method, const lists::Medium& medium,
                               const std::vector<double>& expected, const BlockGrid& grid,
                               const std::filesystem::path& folder) {
  const heddle::FlagReader flags = heddle::flags_in_memory(medium.flags, lists::domain, medium.periodic);
  std::atomic<std::int64_t> differences = 0;
  heddle::ThreadGroup(grid.ranks()).run([&](heddle::Transport& transport) {
    const heddle::Environment one_thread({.threads = 1});
    const auto rank = method.make({grid, transport.rank(), flags, method.links}, transport);
    rank->forget();
    heddle::Checkpoint checkpoint(folder, "run", transport);
    rank->add_to(checkpoint, transport);
    checkpoint.read(2);
    lists::run(*rank, lists::pairs - 1, {}, true);
    differences += lists::differences(expected, rank->values(), grid, transport.rank());
  });
  return differences;
}

/// The same for each grid of the pairs.
void expect_to_go_on(const lists::Method& method, const lists::Medium& medium,
                     const std::vector<std::pair<BlockGrid, BlockGrid>>& grids) {
  const std::vector<double> expected = lists::alone(method, medium);
  for (const auto& [from, to] : grids) {
    const test::Folder folder;
    stop(method, medium, from, folder.path());
    EXPECT_EQ(differences_after(method, medium, expected, to, folder.path()), 0)
        << method.name << ", from " << from.ranks() << " to " << to.ranks();
  }
}

BlockGrid cut(const lists::Medium& medium, int ranks, const std::array<int, 3>& blocks) {
  return BlockGrid(lists::domain, blocks, medium.periodic, ranks);
}

const lists::Medium porous(0.4);

TEST(Resume, OnOtherRanksEndsInTheSameBits) {
  const BlockGrid one = cut(porous, 1, {1, 1, 1});
  const BlockGrid two = cut(porous, 2, {1, 2, 1});
  const BlockGrid many = cut(porous, 8, {2, 2, 2});
  const BlockGrid several = cut(porous, 5, {3, 3, 3}); // blocks a rank
  for (const lists::Method& method : lists::methods()) {
    expect_to_go_on(method, porous, {{many, several}});
    if (method.is_double()) expect_to_go_on(method, porous, {{one, one}, {two, many}, {several, one}});
  }
}

TEST(Resume, BetweenWallsAndWithoutEmptyBlocksEndsInTheSameBits) {
  const lists::Medium medium = lists::with_an_empty_corner({true, false, false}, {});
  const BlockGrid one = cut(medium, 1, {1, 1, 1});
  const BlockGrid three = lists::balanced(medium, {4, 3, 3}, 3);
  const BlockGrid eight = lists::balanced(medium, {4, 3, 3}, 8);
  for (const lists::Method& method : lists::methods()) {
    if (method.is_double()) expect_to_go_on(method, medium, {{one, eight}, {eight, three}, {three, one}});
  }
}

TEST(Resume, OfRanksOfOneGraphEndsInTheSameBits) {
  const heddle::Environment one_thread({.threads = 1});
  const BlockGrid grid = cut(porous, 3, {3, 3, 3});
  for (const char* name : {"AA f32", "EsoTwist full-way f64", "EsoPull full-way f16"}) {
    const lists::Method& method = lists::method_named(name);
    const std::vector<double> expected = lists::alone(method, porous);
    const test::Folder folder;
    for (const bool resumed : {false, true}) {
      heddle::PeerGroup group(3, {.memory = heddle::Memory::host});
      heddle::Checkpoint checkpoint(folder.path(), "run");
      heddle::TaskGraph loop;
      heddle::TaskGraph last;
      std::vector<std::unique_ptr<lists::Rank>> ranks;
      const heddle::FlagReader flags = heddle::flags_in_memory(porous.flags, lists::domain, porous.periodic);
      for (int rank = 0; rank < 3; ++rank) {
        heddle::Transport& transport = group.transport(rank);
        ranks.push_back(method.make({grid, rank, flags, method.links}, transport));
        if (resumed) ranks.back()->forget();
        ranks.back()->add_to(loop, false);
        ranks.back()->add_last(last);
        ranks.back()->add_to(checkpoint, transport);
      }
      if (resumed) checkpoint.read();
      loop.run(resumed ? lists::pairs - 1 : 1);
      if (!resumed) checkpoint.write(2);
      last.run();
      for (int rank = 0; resumed && rank < 3; ++rank) {
        const std::vector<double> found = ranks[static_cast<std::size_t>(rank)]->values();
        EXPECT_EQ(lists::differences(expected, found, grid, rank), 0) << name;
      }
    }
  }
}

} // namespace
