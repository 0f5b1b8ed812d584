// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_BLOCKS_ON_RANKS_HPP
#define HEDDLE_LBM_BLOCKS_ON_RANKS_HPP

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>

#include "blocks.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/transport/thread_group.hpp"

namespace blocks {

/// As many ranks of a group of threads as the grid has, with steps run as `how` says, end in the bits of one
/// block.
template <class T>
void expect_equal(const blocks::Pattern<T>& pattern, const blocks::Outcome<T>& whole,
                  const heddle::BlockGrid& grid, const blocks::How& how, const char* what) {
  heddle::ThreadGroup network(grid.ranks());
  std::atomic<std::int64_t> differences = 0;
  network.run([&](heddle::Transport& transport) {
    const heddle::Environment one_thread({.threads = 1}); // to start more takes longer than the steps
    differences += blocks::differences(pattern, whole, grid, transport, how);
  });
  EXPECT_EQ(differences, 0) << pattern.name << " on " << grid.ranks() << ", " << what;
}

} // namespace blocks

#endif
