// SPDX-License-Identifier: Apache-2.0
// Many blocks on many ranks equal one block bit for bit, with ghost cells that nobody filled made NaN before
// each step.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "blocks.hpp"
#include "heddle/error.hpp"
#include "heddle/fake_network.hpp"
#include "heddle/peer_group.hpp"
#include "heddle/trace.hpp"
#include "traced.hpp"

namespace {

constexpr std::array<bool, 3> periodic{true, true, true};

TEST(Blocks, AnyGridEqualsOneBlock) {
  for (const auto& [name, make] : blocks::patterns()) {
    for (const std::array<int, 3>& cut :
         {std::array{2, 1, 1}, std::array{1, 3, 1}, std::array{2, 2, 2}, std::array{3, 2, 4}}) {
      heddle::LocalTransport local;
      const heddle::BlockGrid grid(blocks::domain, cut, periodic);
      EXPECT_EQ(blocks::differences(make, grid, local), 0) << name << cut[0] << cut[1] << cut[2];
    }
  }
}

TEST(Blocks, AnyNumberOfRanksEqualsOneBlock) {
  for (const auto& [name, make] : blocks::patterns()) {
    for (int ranks = 1; ranks <= 27; ++ranks) {
      const std::array<int, 3> cut = ranks > 8 ? std::array{3, 3, 3} : std::array{2, 2, 2};
      const heddle::BlockGrid grid(blocks::domain, cut, periodic, ranks);
      heddle::FakeNetwork network(ranks);
      std::atomic<std::int64_t> differences = 0;
      network.run(
          [&](heddle::Transport& transport) { differences += blocks::differences(make, grid, transport); });
      EXPECT_EQ(differences, 0) << name << " on " << ranks;
    }
  }
}

TEST(Blocks, ComputingWhileMessagesTravelChangesNothing) {
  for (const auto& [name, make] : blocks::patterns()) {
    for (int ranks = 2; ranks <= 8; ++ranks) {
      const std::array<int, 3> cut = ranks == 6 ? std::array{1, 1, 6} : std::array{2, 2, 2};
      const heddle::BlockGrid grid(blocks::domain, cut, periodic, ranks);
      for (const bool overlap : {false, true}) {
        heddle::FakeNetwork network(ranks);
        std::atomic<std::int64_t> differences = 0;
        network.run([&](heddle::Transport& transport) {
          const blocks::How how{{.overlap = overlap, .unroll = 2}, false};
          differences += blocks::differences(make, grid, transport, how);
        });
        EXPECT_EQ(differences, 0) << name << " on " << ranks << (overlap ? ", overlapping" : "");
      }
    }
  }
}

TEST(Blocks, RanksOfOneGraphThatWriteToEachOthersMemoryEqualOneBlock) {
  for (const auto& [name, make] : blocks::patterns()) {
    const std::vector<double> alone =
        blocks::alone(make, heddle::BlockGrid(blocks::domain, {1, 1, 1}, periodic));
    for (const int count : {2, 3, 8}) {
      for (const bool stores : {false, true}) {
        for (const heddle::TaskGraphOptions& options :
             {heddle::TaskGraphOptions{}, {.overlap = false}, {.unroll = 2}, {.threads = 3}}) {
          heddle::PeerGroup group(count, {heddle::Memory::host, stores});
          const heddle::BlockGrid grid(blocks::domain, {2, 2, 2}, periodic, count);
          heddle::TaskGraph loop(options);
          std::vector<std::unique_ptr<blocks::Rank>> ranks;
          for (int rank = 0; rank < count; ++rank) {
            ranks.push_back(make(grid, group.transport(rank)));
            ranks.back()->add_to(loop, false);
          }
          loop.run(blocks::pairs);
          for (const std::unique_ptr<blocks::Rank>& rank : ranks)
            EXPECT_EQ(blocks::differences(alone, rank->field()), 0) << name << " on " << count;
        }
      }
    }
  }
}

TEST(Blocks, AStepIsTakenApartWhereMessagesTravel) {
  const auto& [name, make] = blocks::patterns()[0];
  heddle::PeerGroup group(2, {.memory = heddle::Memory::host});
  const heddle::BlockGrid grid(blocks::domain, {1, 1, 2}, periodic, 2);
  const std::unique_ptr<blocks::Rank> rank = make(grid, group.transport(0));
  heddle::TaskGraph loop;
  rank->add_to(loop, false);
  const std::vector<std::string> steps = loop.steps();
  const auto place = [&](const std::string& step) {
    return std::ranges::find(steps, "lbm_blocks::pull " + step) - steps.begin();
  };
  // The first of two: what crosses x and y stays here, and needs no message.
  EXPECT_LT(place("before start"), place("interior"));
  EXPECT_LT(place("before wrap"), place("interior"));
  EXPECT_LT(place("interior"), place("before finish"));
  EXPECT_LT(place("before finish"), place("border"));
  EXPECT_LT(place("border"), std::ssize(steps));
  // A rank without neighbours takes nothing apart.
  heddle::LocalTransport local;
  const std::unique_ptr<blocks::Rank> one =
      make(heddle::BlockGrid(blocks::domain, {1, 1, 1}, periodic), local);
  heddle::TaskGraph whole;
  one->add_to(whole, false);
  EXPECT_EQ(whole.steps(),
            (std::vector<std::string>{"lbm_blocks::pull before", "lbm_blocks::pull",
                                      "lbm_blocks::pull after, nothing crosses", "lbm_blocks::pull before",
                                      "lbm_blocks::pull", "lbm_blocks::pull after, nothing crosses"}));
}

TEST(Blocks, RanksThatWriteToEachOthersMemoryNeedAGraph) {
  heddle::PeerGroup group(2, {.memory = heddle::Memory::host});
  const heddle::BlockGrid grid(blocks::domain, {1, 1, 2}, periodic, 2);
  blocks::Field f = blocks::field(grid, 0);
  blocks::Field next = blocks::field(grid, 0);
  const lbm_blocks::Pull<double> step(f, next, {.omega = blocks::omega});
  heddle::HaloExchange halo(step.before(), group.transport(0));
  heddle::Stream stream;
  EXPECT_THROW(halo(stream), heddle::Error);
  EXPECT_THROW(halo.start(stream), heddle::Error); // rank 1 expects nothing
  EXPECT_THROW(heddle::PeerGroup(0), heddle::Error);
}

/// Whether all of `inner` lies within `outer`.
bool within(const heddle::Trace::Span& inner, const heddle::Trace::Span& outer) {
  return inner.begin >= outer.begin && inner.end <= outer.end;
}

TEST(Blocks, TheTraceShowsInteriorsWhileMessagesTravel) {
  const auto& [name, make] = blocks::patterns()[2]; // AA, whose exchanges are before and after the odd step
  for (const bool overlap : {false, true}) {
    heddle::Trace trace;
    const heddle::BlockGrid grid(blocks::domain, {1, 1, 2}, periodic, 2);
    heddle::FakeNetwork network(2);
    network.run([&](heddle::Transport& transport) {
      const std::unique_ptr<blocks::Rank> rank = make(grid, transport);
      heddle::TaskGraph loop({.overlap = overlap, .trace = &trace, .trace_process = transport.rank()});
      rank->add_to(loop, false);
      loop.run(2);
    });
    const std::vector<heddle::Trace::Span> spans = traced::parse(trace.json());
    std::vector<int> covered; // interiors within each journey of a message
    for (const heddle::Trace::Span& journey : spans) {
      if (journey.row != "messages") continue;
      covered.push_back(static_cast<int>(std::ranges::count_if(spans, [&](const heddle::Trace::Span& span) {
        return span.process == journey.process && span.name.ends_with(" interior") && within(span, journey);
      })));
    }
    // Two ranks, two iterations, two exchanges; each travels while one interior is computed.
    EXPECT_EQ(covered, std::vector<int>(overlap ? 8 : 0, 1)) << name;
  }
}

TEST(Blocks, DelayAndAnotherOrderChangeNothing) {
  const heddle::BlockGrid grid(blocks::domain, {2, 2, 2}, periodic, 8);
  for (const auto& [name, make] : blocks::patterns()) {
    heddle::FakeNetwork network(
        8, {.seed = 5, .delay = 0.2, .reorder = 0.5, .longest_delay = std::chrono::milliseconds(3)});
    std::atomic<std::int64_t> differences = 0;
    network.run(
        [&](heddle::Transport& transport) { differences += blocks::differences(make, grid, transport); });
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
