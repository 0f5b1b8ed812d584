// SPDX-License-Identifier: Apache-2.0
// Ranks of one process equal one block bit for bit, whatever carries their messages: every pattern in every
// precision, in a periodic box and between walls. lbm_blocks_device_test runs this on as many GPUs as there
// are, up to four, with loops recorded as CUDA graphs and not; lbm_blocks_test runs it on the host.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../support/device_memory.hpp"
#include "blocks.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/transport/nccl.hpp"
#include "heddle/transport/thread_group.hpp"
#include "peers.hpp"
#include "peers_of_tests.hpp"

namespace {

using blocks::periodic;
using heddle::Capture;
using heddle::Memory;
using heddle::Overlap;

constexpr Memory memory = test::device_memory;

template <class T> class OnPeers : public testing::Test {};
using Precisions = testing::Types<double, float, std::uint16_t>;
TYPED_TEST_SUITE(OnPeers, Precisions);

heddle::TaskGraphOptions in_tiles(heddle::TaskGraphOptions options, int tiles) {
  options.interior_tiles = tiles;
  return options;
}

/// Each with what differs from the others: recorded or not, overlapping or not, stores or copies, some
/// iterations planned together, whole vectors that cross, blocks packed together (on a device always).
std::vector<blocks::Peers> ways(int ranks, const std::array<bool, 3>& walled) {
  const auto options = [](bool capture, Overlap overlap, int unroll) {
    return heddle::TaskGraphOptions{
        .memory = memory, .capture = capture, .overlap = overlap, .unroll = unroll};
  };
  const std::array<int, 3> cut{2, 2, 2};
  return {{ranks, cut, walled, options(true, Overlap::on, 1), true, 1, true},
          {ranks, cut, periodic, options(true, Overlap::off, 2), true, 1},
          {ranks, cut, walled, options(false, Overlap::off, 1), false, 1},
          {ranks, cut, periodic, options(false, Overlap::on, 2), false, 1, true},
          {ranks, {1, 4, ranks}, walled, options(true, Overlap::on, 1), true, 4},
          {ranks, {2, 2, 1}, walled, in_tiles(options(true, Overlap::on, 2), 5), true, 1}};
}

TYPED_TEST(OnPeers, EveryPatternEqualsOneBlock) {
  ASSERT_GE(test::most_peers(), 1) << "no device";
  for (const blocks::Pattern<TypeParam>& pattern : blocks::patterns<TypeParam>()) {
    const std::vector<TypeParam> walled = blocks::alone(pattern, pattern.walled).values;
    const std::vector<TypeParam> open = blocks::alone(pattern, periodic).values;
    EXPECT_NE(walled, open) << pattern.name;
    for (int ranks = 1; ranks <= test::most_peers(); ranks *= 2) {
      for (const blocks::Peers& run : ways(ranks, pattern.walled)) {
        EXPECT_EQ(blocks::differences(pattern, run.axes == periodic ? open : walled, run), 0)
            << pattern.name << " on " << ranks << (run.axes == periodic ? ", periodic" : ", walls")
            << (run.options.capture == Capture::on ? ", recorded" : "") << (run.stores ? "" : ", copies")
            << (run.options.overlap == Overlap::on ? ", overlapping" : "") << ", vectors of "
            << run.interleaved;
      }
    }
  }
}

/// The patterns one after the other on a rank of its own thread: how many values differ.
template <class T>
std::int64_t on_threads(heddle::Transport& transport, const std::vector<std::vector<T>>& expected,
                        bool capture) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const blocks::Pattern<T>& pattern = blocks::patterns<T>()[i];
    const heddle::BlockGrid grid(blocks::domain, {2, 2, 2}, pattern.walled, transport.ranks());
    for (const Overlap overlap : {Overlap::on, Overlap::off}) {
      const auto rank = pattern.make(grid, transport);
      heddle::TaskGraph loop(
          {.memory = memory, .capture = capture && overlap == Overlap::on, .overlap = overlap});
      rank->add_to(loop, false);
      loop.run(blocks::pairs);
      count += blocks::differences(expected[i], rank->field());
    }
  }
  return count;
}

template <class T> std::vector<std::vector<T>> between_walls() {
  std::vector<std::vector<T>> all;
  for (const blocks::Pattern<T>& pattern : blocks::patterns<T>())
    all.push_back(blocks::alone(pattern, pattern.walled).values);
  return all;
}

TYPED_TEST(OnPeers, MessagesThroughHostMemoryGiveTheSameBits) {
  const std::vector<std::vector<TypeParam>> expected = between_walls<TypeParam>();
  const blocks::FieldsAre so({.memory = memory});
  for (int ranks = 2; ranks <= test::most_peers(); ranks *= 2) {
    std::atomic<std::int64_t> differences = 0;
    heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
      std::optional<heddle::DeviceScope> device;
      if (memory == Memory::device) device.emplace(transport.rank());
      differences += on_threads<TypeParam>(transport, expected, false);
    });
    EXPECT_EQ(differences, 0) << ranks;
  }
}

#ifndef HEDDLE_ON_DEVICE
/// The plan of a device, one step after the other as they might end there.
TYPED_TEST(OnPeers, AnyOrderOfThePlanGivesTheSameBits) {
  for (const blocks::Pattern<TypeParam>& pattern : blocks::patterns<TypeParam>()) {
    const std::vector<TypeParam> walled = blocks::alone(pattern, pattern.walled).values;
    const std::vector<TypeParam> open = blocks::alone(pattern, periodic).values;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const bool between_walls = seed % 2 == 0;
      const bool in_vectors = seed % 3 == 0;
      const bool in_tiles = seed % 3 == 1; // of the seven layers of a block
      const bool alone = seed > 6;
      const std::array<int, 3> cut =
          in_vectors ? std::array<int, 3>{1, 4, alone ? 1 : 4} : std::array<int, 3>{2, 2, in_tiles ? 1 : 2};
      const blocks::Peers run{alone ? 1 : 4,
                              cut,
                              between_walls ? pattern.walled : periodic,
                              {.unroll = 2, .interior_tiles = 4, .shuffle = seed},
                              seed % 4 != 0,
                              in_vectors ? 4 : 1,
                              seed > 3};
      EXPECT_EQ(blocks::differences(pattern, between_walls ? walled : open, run), 0)
          << pattern.name << ", seed " << seed;
    }
  }
}
#endif

#ifdef HEDDLE_ON_DEVICE
TYPED_TEST(OnPeers, NcclGivesTheSameBits) {
  const std::vector<std::vector<TypeParam>> expected = between_walls<TypeParam>();
  const blocks::FieldsAre so({.memory = memory});
  if (!heddle::nccl_missing().empty()) GTEST_SKIP() << heddle::nccl_missing();
  for (int ranks = 2; ranks <= test::most_peers(); ranks *= 2) {
    std::atomic<std::int64_t> differences = 0;
    heddle::nccl_run(ranks, [&](heddle::Transport& transport) {
      differences += on_threads<TypeParam>(transport, expected, true);
    });
    EXPECT_EQ(differences, 0) << ranks;
  }
}
#endif

} // namespace
