// SPDX-License-Identifier: Apache-2.0
// Many blocks on many ranks equal one block bit for bit, with ghost cells that nobody filled made NaN before
// each step: every streaming pattern in every precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "../../support/fault_injector.hpp"
#include "../../support/numbers_of_ranks.hpp"
#include "blocks.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/thread_group.hpp"
#include "on_ranks.hpp"
#include "traced.hpp"

namespace {

using blocks::expect_equal;
using blocks::periodic;

template <class T> class Blocks : public testing::Test {};
using Precisions = testing::Types<double, float, std::uint16_t>;
TYPED_TEST_SUITE(Blocks, Precisions);

TYPED_TEST(Blocks, AnyNumberOfRanksEqualsOneBlock) {
  for (const blocks::Pattern<TypeParam>& pattern : blocks::patterns<TypeParam>()) {
    const blocks::Outcome<TypeParam> walled = blocks::alone(pattern, pattern.walled);
    const blocks::Outcome<TypeParam> open = blocks::alone(pattern, periodic);
    EXPECT_NE(walled.values, open.values) << pattern.name;
    for (const int ranks : test::numbers_of_ranks()) {
      const std::array<int, 3> cut = ranks > 8 ? std::array{3, 3, 3} : std::array{2, 2, 2};
      expect_equal(pattern, walled, heddle::BlockGrid(blocks::domain, cut, pattern.walled, ranks), {},
                   "between walls");
      expect_equal(pattern, open, heddle::BlockGrid(blocks::domain, cut, periodic, ranks), {}, "periodic");
    }
  }
}

TYPED_TEST(Blocks, ComputingWhileMessagesTravelChangesNothing) {
  for (const blocks::Pattern<TypeParam>& pattern : blocks::patterns<TypeParam>()) {
    for (const std::array<bool, 3>& axes : {periodic, pattern.walled}) {
      const blocks::Outcome<TypeParam> whole = blocks::alone(pattern, axes);
      for (const int ranks : test::numbers_of_ranks({2, 3, 4, 5, 6, 7, 8, 11, 27})) {
        const std::array<int, 3> cut = ranks == 6  ? std::array{1, 1, 6}
                                       : ranks > 8 ? std::array{3, 3, 3}
                                                   : std::array{2, 2, 2};
        for (const bool overlap : {false, true})
          expect_equal(pattern, whole, heddle::BlockGrid(blocks::domain, cut, axes, ranks),
                       {{.overlap = overlap, .unroll = 2}, false},
                       overlap ? "overlapping" : "one after the other");
      }
    }
  }
}

TYPED_TEST(Blocks, WallsKeepTheMass) {
  for (const blocks::Pattern<TypeParam>& pattern : blocks::patterns<TypeParam>()) {
    if (pattern.walled[1]) continue; // sweeps over faces leave populations behind the wall, for the next step
    heddle::LocalTransport local;
    const heddle::BlockGrid one(blocks::domain, {1, 1, 1}, pattern.walled);
    const double before = blocks::mass(blocks::field<TypeParam>(one, 0), local);
    // About 3000 updates of cells, each of which rounds 60 numbers of 1e-3 to 1e-2: as a random walk, one
    // unit.
    const double unit = std::is_same_v<TypeParam, double>  ? 0x1p-53
                        : std::is_same_v<TypeParam, float> ? 0x1p-24
                                                           : 0x1p-11;
    EXPECT_NEAR(blocks::alone(pattern, pattern.walled).mass, before, unit) << pattern.name;
  }
}

TEST(BlocksOf64Bits, AnyGridEqualsOneBlock) {
  for (const blocks::Pattern<double>& pattern : blocks::patterns<double>()) {
    const blocks::Outcome<double> whole = blocks::alone(pattern, periodic);
    for (const std::array<int, 3>& cut :
         {std::array{2, 1, 1}, std::array{1, 3, 1}, std::array{2, 2, 2}, std::array{3, 2, 4}})
      expect_equal(pattern, whole, heddle::BlockGrid(blocks::domain, cut, periodic), {}, "several blocks");
  }
}

TEST(BlocksOf64Bits, OverlapChosenByTheClockChangesNothing) {
  constexpr int enough = 100; // for the choice
  const blocks::Pattern<double>& pattern = blocks::patterns<double>()[2];
  heddle::LocalTransport local;
  const auto alone = pattern.make(heddle::BlockGrid(blocks::domain, {1, 1, 1}, pattern.walled), local);
  heddle::TaskGraph one;
  alone->add_to(one, false);
  one.run(enough);
  const std::vector<double> whole = blocks::values(alone->field());

  heddle::ThreadGroup network(3);
  std::atomic<std::int64_t> differences = 0;
  network.run([&](heddle::Transport& transport) {
    const heddle::Environment one_thread({.threads = 1});
    const heddle::BlockGrid grid(blocks::domain, {1, 1, 3}, pattern.walled, 3);
    const auto rank = pattern.make(grid, transport);
    heddle::TaskGraph loop({.overlap = heddle::Overlap::automatic});
    rank->add_to(loop, false);
    loop.run(enough);
    differences += blocks::differences(whole, rank->field());
    if (!loop.overlap().reason.starts_with("measured")) ++differences;
  });
  EXPECT_EQ(differences, 0);
}

TEST(BlocksOf64Bits, RanksOfOneGraphThatWriteToEachOthersMemoryEqualOneBlock) {
  for (const blocks::Pattern<double>& pattern : blocks::patterns<double>()) {
    const blocks::Outcome<double> alone = blocks::alone(pattern, periodic);
    for (const int count : {2, 3, 8}) {
      for (const bool stores : {false, true}) {
        for (const heddle::TaskGraphOptions& options :
             {heddle::TaskGraphOptions{}, {.overlap = false}, {.unroll = 2}, {.threads = 3}}) {
          heddle::PeerGroup group(count, {heddle::Memory::host, stores});
          const heddle::BlockGrid grid(blocks::domain, {2, 2, 2}, periodic, count);
          heddle::TaskGraph loop(options);
          std::vector<std::unique_ptr<blocks::Rank<double>>> ranks;
          for (int rank = 0; rank < count; ++rank) {
            ranks.push_back(pattern.make(grid, group.transport(rank)));
            ranks.back()->add_to(loop, false);
          }
          loop.run(blocks::pairs);
          for (const std::unique_ptr<blocks::Rank<double>>& rank : ranks)
            EXPECT_EQ(blocks::differences(alone.values, rank->field()), 0) << pattern.name << " on " << count;
        }
      }
    }
  }
}

TEST(BlocksOf64Bits, WholeVectorsAreMessages) {
  for (const blocks::Pattern<double>& pattern : blocks::patterns<double>()) {
    const blocks::Outcome<double> alone = blocks::alone(pattern, periodic);
    const blocks::FieldsAre so({.interleaved = 4});
    std::atomic<std::int64_t> differences = 0;
    heddle::ThreadGroup(3).run([&](heddle::Transport& transport) {
      const heddle::BlockGrid grid(blocks::domain, {1, 4, 3}, periodic, 3);
      const auto rank = pattern.make(grid, transport);
      heddle::TaskGraph loop;
      rank->add_to(loop, false);
      loop.run(blocks::pairs);
      differences += blocks::differences(alone.values, rank->field());
    });
    EXPECT_EQ(differences, 0) << pattern.name;
  }
}

TEST(BlocksOf64Bits, WholeVectorsGoStraightIntoTheFieldsOfOtherRanks) {
  // Vectors of blocks along y, ranks along z. With three threads any order is tried that the graph allows.
  for (const blocks::Pattern<double>& pattern : blocks::patterns<double>()) {
    for (const std::array<bool, 3>& axes : {periodic, pattern.walled}) {
      const blocks::Outcome<double> alone = blocks::alone(pattern, axes);
      for (const int lanes : {2, 4}) {
        for (const heddle::TaskGraphOptions& options :
             {heddle::TaskGraphOptions{}, {.overlap = false}, {.unroll = 2}, {.threads = 3}}) {
          const blocks::FieldsAre so({.interleaved = lanes});
          heddle::PeerGroup group(3, {heddle::Memory::host, options.unroll != 2}); // and by copies
          const heddle::BlockGrid grid(blocks::domain, {1, lanes, 3}, axes, 3);
          heddle::TaskGraph loop(options);
          std::vector<std::unique_ptr<blocks::Rank<double>>> ranks;
          for (int rank = 0; rank < 3; ++rank) {
            ranks.push_back(pattern.make(grid, group.transport(rank)));
            ranks.back()->add_to(loop, false);
          }
          loop.run(blocks::pairs);
          for (const std::unique_ptr<blocks::Rank<double>>& rank : ranks)
            EXPECT_EQ(blocks::differences(alone.values, rank->field()), 0) << pattern.name << " in " << lanes;
        }
      }
    }
  }
}

TEST(BlocksOf64Bits, AStepIsTakenApartWhereMessagesTravel) {
  const auto& [name, walled, make, cells] = blocks::patterns<double>()[0];
  heddle::PeerGroup group(2, {.memory = heddle::Memory::host});
  const heddle::BlockGrid grid(blocks::domain, {1, 1, 2}, periodic, 2);
  const std::unique_ptr<blocks::Rank<double>> rank = make(grid, group.transport(0));
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
  const std::unique_ptr<blocks::Rank<double>> one =
      make(heddle::BlockGrid(blocks::domain, {1, 1, 1}, periodic), local);
  heddle::TaskGraph whole;
  one->add_to(whole, false);
  EXPECT_EQ(whole.steps(),
            (std::vector<std::string>{"lbm_blocks::pull before", "lbm_blocks::pull",
                                      "lbm_blocks::pull after, nothing crosses", "lbm_blocks::pull before",
                                      "lbm_blocks::pull", "lbm_blocks::pull after, nothing crosses"}));
}

TEST(BlocksOf64Bits, RanksThatWriteToEachOthersMemoryNeedAGraph) {
  heddle::PeerGroup group(2, {.memory = heddle::Memory::host});
  const heddle::BlockGrid grid(blocks::domain, {1, 1, 2}, periodic, 2);
  blocks::Field<double> f = blocks::field<double>(grid, 0);
  blocks::Field<double> next = blocks::field<double>(grid, 0);
  const lbm_blocks::Pull<double> step(f, next, {.omega = blocks::omega});
  heddle::HaloExchange halo(step.before(), group.transport(0));
  heddle::Stream stream;
  EXPECT_THROW(halo(stream), heddle::Error);
  EXPECT_THROW(halo.start(stream), heddle::Error); // rank 1 expects nothing
  EXPECT_THROW(heddle::PeerGroup(0), heddle::Error);
}

TEST(BlocksOf64Bits, TasksThatContradictTheExchangesOfOtherRanksAreRefused) {
  // Those of rank 1 come after all of rank 0, which waits for what rank 1 sends after them.
  const blocks::FieldsAre so({.interleaved = 2});
  heddle::PeerGroup group(2, {.memory = heddle::Memory::host});
  const heddle::BlockGrid grid(blocks::domain, {1, 2, 2}, periodic, 2);
  std::vector<std::unique_ptr<blocks::Field<double>>> fields;
  std::vector<std::unique_ptr<heddle::HaloExchange>> halos;
  const int shared = 0;
  heddle::TaskGraph loop;
  for (int rank = 0; rank < 2; ++rank) {
    for (int i = 0; i < 2; ++i)
      fields.push_back(std::make_unique<blocks::Field<double>>(blocks::field<double>(grid, rank)));
    blocks::Field<double>& f = *fields.end()[-2];
    const lbm_blocks::Pull<double> step(f, *fields.back(), {.omega = blocks::omega});
    halos.push_back(std::make_unique<heddle::HaloExchange>(step.before(), group.transport(rank)));
    const std::vector<heddle::FieldAccess> accesses{{&f, "f", heddle::AccessMode::read},
                                                    {&shared, "shared", heddle::AccessMode::write}};
    loop.add("first", accesses, [](heddle::Stream&) {});
    loop.add(*halos.back());
    loop.add("second", accesses, [](heddle::Stream&) {});
  }
  EXPECT_THROW(loop.run(1), heddle::Error);
}

TEST(BlocksOf64Bits, TheTraceShowsInteriorsWhileMessagesTravel) {
  const auto& [name, walled, make, cells] =
      blocks::patterns<double>()[2]; // AA, whose exchanges are before and after the odd step
  for (const bool overlap : {false, true}) {
    heddle::Trace trace;
    const heddle::BlockGrid grid(blocks::domain, {1, 1, 2}, periodic, 2);
    heddle::ThreadGroup network(2);
    network.run([&](heddle::Transport& transport) {
      const std::unique_ptr<blocks::Rank<double>> rank = make(grid, transport);
      heddle::TaskGraph loop({.overlap = overlap, .trace = &trace, .trace_process = transport.rank()});
      rank->add_to(loop, false);
      loop.run(2);
    });
    // Two ranks, two iterations, two exchanges; each travels while one interior is computed.
    EXPECT_EQ(traced::steps_within_journeys(trace, "", " interior"), std::vector<int>(overlap ? 8 : 0, 1))
        << name;
  }
}

TEST(BlocksOf64Bits, DelayAndAnotherOrderChangeNothing) {
  const heddle::BlockGrid grid(blocks::domain, {2, 2, 2}, periodic, 8);
  for (const blocks::Pattern<double>& pattern : blocks::patterns<double>()) {
    const blocks::Outcome<double> whole = blocks::alone(pattern, periodic);
    test::FaultyThreads network(
        8, {.seed = 5, .delay = 0.2, .reorder = 0.5, .longest_delay = std::chrono::milliseconds(3)});
    std::atomic<std::int64_t> differences = 0;
    network.run([&](heddle::Transport& transport) {
      differences += blocks::differences(pattern, whole, grid, transport);
    });
    EXPECT_EQ(differences, 0) << pattern.name;
    EXPECT_GT(network.counts().delayed, 0);
  }
}

TEST(BlocksOf64Bits, PatternsExchangeWhatTheirPhaseNeeds) {
  // lbm.md, section 5: AA exchanges around the odd step only; pull before each step, push after it.
  heddle::LocalTransport local;
  const heddle::BlockGrid grid(blocks::domain, {2, 2, 2}, periodic);
  blocks::Field<double> f = blocks::field<double>(grid, 0);
  blocks::Field<double> g = blocks::field<double>(grid, 0);
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
