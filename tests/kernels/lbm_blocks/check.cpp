// SPDX-License-Identifier: Apache-2.0
// Many blocks on many ranks equal one block bit for bit, with ghost cells that nobody filled made NaN before
// each step.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "blocks.hpp"
#include "heddle/fake_network.hpp"

namespace {

constexpr std::array<bool, 3> periodic{true, true, true};

TEST(Blocks, AnyGridEqualsOneBlock) {
  for (const auto& [name, run] : blocks::patterns()) {
    for (const std::array<int, 3>& cut :
         {std::array{2, 1, 1}, std::array{1, 3, 1}, std::array{2, 2, 2}, std::array{3, 2, 4}}) {
      heddle::LocalTransport local;
      const heddle::BlockGrid grid(blocks::domain, cut, periodic);
      EXPECT_EQ(blocks::differences(run, grid, local), 0) << name << cut[0] << cut[1] << cut[2];
    }
  }
}

TEST(Blocks, AnyNumberOfRanksEqualsOneBlock) {
  for (const auto& [name, run] : blocks::patterns()) {
    for (const int ranks : {1, 2, 3, 4, 8, 27}) {
      const std::array<int, 3> cut = ranks == 27 ? std::array{3, 3, 3} : std::array{2, 2, 2};
      const heddle::BlockGrid grid(blocks::domain, cut, periodic, ranks);
      heddle::FakeNetwork network(ranks);
      std::atomic<std::int64_t> differences = 0;
      network.run(
          [&](heddle::Transport& transport) { differences += blocks::differences(run, grid, transport); });
      EXPECT_EQ(differences, 0) << name << " on " << ranks;
    }
  }
}

TEST(Blocks, DelayAndAnotherOrderChangeNothing) {
  const heddle::BlockGrid grid(blocks::domain, {2, 2, 2}, periodic, 8);
  for (const auto& [name, run] : blocks::patterns()) {
    heddle::FakeNetwork network(
        8, {.seed = 5, .delay = 0.2, .reorder = 0.5, .longest_delay = std::chrono::milliseconds(3)});
    std::atomic<std::int64_t> differences = 0;
    network.run(
        [&](heddle::Transport& transport) { differences += blocks::differences(run, grid, transport); });
    EXPECT_EQ(differences, 0) << name;
    EXPECT_GT(network.counts().delayed, 0);
  }
}

TEST(Blocks, PatternsExchangeWhatTheirPhaseNeeds) {
  // lbm.md, section 5: AA exchanges around the odd step only; pull before each step, push after it.
  heddle::LocalTransport local;
  const heddle::BlockGrid grid(blocks::domain, {2, 2, 2}, periodic);
  blocks::Field f = blocks::field(grid, 0);
  blocks::Field g = blocks::field(grid, 0);
  const auto bytes = [&](heddle::Exchange exchange) {
    return heddle::HaloExchange(std::move(exchange), local).local_bytes();
  };
  const lbm_blocks::AaEvenParameters even{.omega = blocks::omega};
  const lbm_blocks::AaOddParameters odd{.omega = blocks::omega};
  EXPECT_EQ(bytes(lbm_blocks::AaEven<double>(f, even).before()), 0U);
  EXPECT_EQ(bytes(lbm_blocks::AaEven<double>(f, even).after()), 0U);
  const std::size_t once = bytes(lbm_blocks::AaOdd<double>(f, odd).before());
  EXPECT_GT(once, 0U);
  EXPECT_EQ(bytes(lbm_blocks::AaOdd<double>(f, odd).after()), once);
  EXPECT_EQ(bytes(lbm_blocks::Pull<double>(f, g, {.omega = blocks::omega}).before()), once);
  EXPECT_EQ(bytes(lbm_blocks::Pull<double>(f, g, {.omega = blocks::omega}).after()), 0U);
  EXPECT_EQ(bytes(lbm_blocks::Push<double>(f, g, {.omega = blocks::omega}).before()), 0U);
  EXPECT_EQ(bytes(lbm_blocks::Push<double>(f, g, {.omega = blocks::omega}).after()), once);
}

} // namespace
