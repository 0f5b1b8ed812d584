// SPDX-License-Identifier: Apache-2.0
// A run that stops, and goes on from its checkpoint on other ranks and blocks, ends in the bits of one that
// was not disturbed: every pattern on dense blocks, periodic and between walls.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../support/test_folder.hpp"
#include "blocks.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::BlockGrid;

/// One pair of steps, after which the state is on the disk.
template <class T>
void stop(const blocks::Pattern<T>& pattern, const BlockGrid& grid, const std::filesystem::path& folder) {
  heddle::ThreadGroup(grid.ranks()).run([&](heddle::Transport& transport) {
    const heddle::Environment one_thread({.threads = 1});
    const auto rank = pattern.make(grid, transport);
    heddle::TaskGraph loop;
    rank->add_to(loop, true);
    loop.run(1);
    heddle::Checkpoint checkpoint(folder, "run", transport);
    rank->store_in(checkpoint);
    checkpoint.write(2);
  });
}

/// The steps that are left, where nothing is known but the checkpoint: how many values are others than those
/// of the run that did not stop.
template <class T>
std::int64_t differences_after(const blocks::Pattern<T>& pattern, const std::vector<T>& whole,
                               const BlockGrid& grid, const std::filesystem::path& folder) {
  T nan{0x7E00}; // of halves
  if constexpr (std::is_floating_point_v<T>) nan = std::numeric_limits<T>::quiet_NaN();
  std::atomic<std::int64_t> differences = 0;
  heddle::ThreadGroup(grid.ranks()).run([&](heddle::Transport& transport) {
    const heddle::Environment one_thread({.threads = 1});
    const auto rank = pattern.make(grid, transport);
    rank->field().fill(nan);
    heddle::Checkpoint checkpoint(folder, "run", transport);
    rank->store_in(checkpoint);
    checkpoint.read(2);
    heddle::TaskGraph loop;
    rank->add_to(loop, true);
    loop.run(blocks::pairs - 1);
    differences += blocks::differences(whole, rank->field());
  });
  return differences;
}

template <class T> class GoingOn : public testing::Test {};
using Precisions = testing::Types<double, float, std::uint16_t>;
TYPED_TEST_SUITE(GoingOn, Precisions);

template <class T> std::vector<blocks::Pattern<T>> patterns() {
  std::vector<blocks::Pattern<T>> all = blocks::patterns<T>();
  for (blocks::Pattern<T>& pattern : blocks::patterns_without_sweeps_over_walls<T>())
    all.push_back(std::move(pattern));
  return all;
}

TYPED_TEST(GoingOn, OnOtherRanksEndsInTheSameBits) {
  for (const blocks::Pattern<TypeParam>& pattern : patterns<TypeParam>()) {
    for (const std::array<bool, 3>& axes : {pattern.walled, blocks::periodic}) {
      const std::vector<TypeParam> whole = blocks::alone(pattern, axes).values;
      const auto cut = [&](int ranks, const std::array<int, 3>& blocks) {
        return BlockGrid(blocks::domain, blocks, axes, ranks);
      };
      const BlockGrid one = cut(1, {1, 1, 1});
      const BlockGrid eight = cut(8, {2, 2, 2});
      const BlockGrid several = cut(5, {3, 3, 3}); // blocks a rank
      for (const auto& [from, to] :
           {std::pair(one, several), std::pair(several, eight), std::pair(eight, one)}) {
        const test::Folder folder;
        stop(pattern, from, folder.path());
        EXPECT_EQ(differences_after(pattern, whole, to, folder.path()), 0)
            << pattern.name << (axes == blocks::periodic ? ", periodic" : ", between walls") << ", from "
            << from.ranks() << " to " << to.ranks();
      }
    }
  }
}

} // namespace
