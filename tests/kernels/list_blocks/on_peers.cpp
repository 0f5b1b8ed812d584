// SPDX-License-Identifier: Apache-2.0
// Ranks of one process equal one list bit for bit, whatever carries their messages: every pattern in every
// precision, between pores and between walls. list_blocks_device_test runs this on as many GPUs as there are,
// up to four, with loops recorded as CUDA graphs and not; list_blocks_test runs it on the host.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../support/device_memory.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/transport/nccl.hpp"
#include "heddle/transport/thread_group.hpp"
#include "lists.hpp"
#include "peers_of_tests.hpp"

namespace {

using heddle::Capture;
using heddle::Memory;
using heddle::Overlap;

constexpr Memory memory = test::device_memory;

const lists::Medium porous(0.4);
const lists::Medium walled(0.2, {true, false, false});

/// Each with what differs from the others: recorded or not, overlapping or not, stores or copies, some
/// iterations planned together, one block a rank or several.
std::vector<lists::Peers> ways(int ranks) {
  const auto options = [](bool capture, Overlap overlap, int unroll) {
    return heddle::TaskGraphOptions{
        .memory = memory, .capture = capture, .overlap = overlap, .unroll = unroll};
  };
  return {{ranks, lists::cut(ranks), options(true, Overlap::on, 1), true},
          {ranks, {3, 2, 3}, options(true, Overlap::off, 2), true},
          {ranks, {2, 2, 2}, options(false, Overlap::on, 1), false},
          {ranks, lists::cut(ranks), options(false, Overlap::off, 2), false}};
}

TEST(ListsOnPeers, EveryPatternEqualsOneList) {
  ASSERT_GE(test::most_peers(), 1) << "no device";
  for (const lists::Method& method : lists::methods()) {
    const std::vector<double> in_pores = lists::alone(method, porous);
    const std::vector<double> between_walls = lists::alone(method, walled);
    for (int ranks = 1; ranks <= test::most_peers(); ranks *= 2) {
      bool pores = true;
      for (const lists::Peers& run : ways(ranks)) {
        EXPECT_EQ(lists::differences(method, pores ? porous : walled, pores ? in_pores : between_walls, run),
                  0)
            << method.name << " on " << ranks << (pores ? ", porous" : ", walls")
            << (run.options.capture == Capture::on ? ", recorded" : "") << (run.stores ? "" : ", copies")
            << (run.options.overlap == Overlap::on ? ", overlapping" : "");
        pores = !pores;
      }
    }
  }
}

/// One list alone for each pattern.
const std::vector<std::vector<double>>& expected() {
  static const std::vector<std::vector<double>> all = [] {
    std::vector<std::vector<double>> found;
    for (const lists::Method& method : lists::methods())
      found.push_back(lists::alone(method, porous));
    return found;
  }();
  return all;
}

/// The patterns one after the other on a rank of its own thread: how many values differ.
std::int64_t on_threads(heddle::Transport& transport, bool capture) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < expected().size(); ++i) {
    const lists::How how{{.memory = memory, .capture = capture, .overlap = i % 3 != 0}, false};
    count += lists::differences(lists::methods()[i], porous, expected()[i], lists::cut(transport.ranks()),
                                transport, how, memory);
  }
  return count;
}

TEST(ListsOnPeers, MessagesThroughHostMemoryGiveTheSameBits) {
  for (int ranks = 2; ranks <= test::most_peers(); ranks *= 2) {
    std::atomic<std::int64_t> differences = 0;
    heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
      std::optional<heddle::DeviceScope> device;
      if (memory == Memory::device) device.emplace(transport.rank());
      differences += on_threads(transport, false);
    });
    EXPECT_EQ(differences, 0) << ranks;
  }
}

#ifndef HEDDLE_ON_DEVICE
/// The plan of a device, one step after the other as they might end there.
TEST(ListsOnPeers, AnyOrderOfThePlanGivesTheSameBits) {
  for (std::size_t i = 0; i < expected().size(); ++i) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const lists::Peers run{4,
                             seed % 2 == 0 ? std::array<int, 3>{2, 2, 2} : lists::cut(4),
                             {.unroll = 2, .shuffle = seed},
                             seed != 3};
      EXPECT_EQ(lists::differences(lists::methods()[i], porous, expected()[i], run), 0)
          << lists::methods()[i].name << ", seed " << seed;
    }
  }
}
#endif

#ifdef HEDDLE_ON_DEVICE
TEST(ListsOnPeers, NcclGivesTheSameBits) {
  if (!heddle::nccl_missing().empty()) GTEST_SKIP() << heddle::nccl_missing();
  for (int ranks = 2; ranks <= test::most_peers(); ranks *= 2) {
    std::atomic<std::int64_t> differences = 0;
    heddle::nccl_run(ranks,
                     [&](heddle::Transport& transport) { differences += on_threads(transport, true); });
    EXPECT_EQ(differences, 0) << ranks;
  }
}
#endif

} // namespace
