// SPDX-License-Identifier: Apache-2.0
// What becomes of messages that are harmed: an error that names ranks, exchange and step, or the same bits.
#include "heddle/transport/transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "../../support/fault_injector.hpp"
#include "../../support/packing.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/transport/candidate.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Direction;
using heddle::Error;
using heddle::Field;
using heddle::FieldView;
using heddle::HaloExchange;
using heddle::HaloRegion;
using heddle::Stamps;
using heddle::Stream;
using heddle::ThreadGroup;
using heddle::Transport;
using test::FaultCounts;
using test::Faults;
using test::FaultyThreads;
using namespace std::chrono_literals;

const heddle::Box domain{{0, 0, 0}, {8, 6, 4}};
const std::vector<HaloRegion> shell = heddle::ghost_shell(1, {1, 1, 1});

/// Replaces each value by one made of all 27 around it.
void mix(Field<double>& field) {
  for (int b = 0; b < field.blocks(); ++b) {
    const FieldView<double> f = field.view(b);
    std::vector<double> sums;
    for (std::int64_t z = 0; z < f.extent(2); ++z) {
      for (std::int64_t y = 0; y < f.extent(1); ++y) {
        for (std::int64_t x = 0; x < f.extent(0); ++x) {
          double sum = 0;
          for (int k = 0; k < 27; ++k)
            sum = 1.01 * sum + f(x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1);
          sums.push_back(sum / 30);
        }
      }
    }
    field.write(b, 0, sums);
  }
}

/// The values after some steps, block by block, whatever ranks they lie on.
template <class Network>
std::vector<std::vector<double>> steps_on(Network& network, int ranks, Stamps stamps = Stamps::checksums,
                                          int steps = 6) {
  const BlockGrid grid(domain, {2, 3, 2}, {true, true, true}, ranks);
  std::vector<std::vector<double>> blocks(static_cast<std::size_t>(grid.size()));
  network.run([&](Transport& transport) {
    Field<double> field(grid, {.rank = transport.rank()});
    field.fill([](auto x, auto y, auto z, int) { return 1.0 / static_cast<double>(1 + x + 8 * y + 48 * z); });
    HaloExchange halo(packing::exchange(field, shell, Direction::owner_to_ghost, "halo"), transport,
                      {.stamps = stamps});
    Stream stream;
    for (int step = 0; step < steps; ++step) {
      halo(stream);
      mix(field);
    }
    for (int b = 0; b < field.blocks(); ++b)
      blocks[static_cast<std::size_t>(field.number(b))] = field.read(b);
  });
  return blocks;
}

std::vector<std::vector<double>> undisturbed() {
  ThreadGroup network(1);
  return steps_on(network, 1);
}

/// What run throws; empty if nothing.
std::string failure(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(ThreadGroup, AnyNumberOfRanksGivesTheSameBits) {
  const std::vector<std::vector<double>> expected = undisturbed();
  for (const int ranks : {2, 3, 4, 5, 8, 12}) {
    FaultyThreads network(ranks, {});
    EXPECT_EQ(steps_on(network, ranks), expected) << ranks;
    EXPECT_GT(network.counts().messages, 0);
  }
}

TEST(FaultInjector, DelayAndAnotherOrderChangeNothing) {
  const std::vector<std::vector<double>> expected = undisturbed();
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    FaultyThreads network(6, {.seed = seed, .delay = 0.3, .reorder = 0.5, .longest_delay = 3ms});
    EXPECT_EQ(steps_on(network, 6), expected);
    EXPECT_GT(network.counts().delayed, 0);
    EXPECT_GT(network.counts().reordered, 0);
  }
}

/// Seeds until faults have been found at work: each run ends in the expected bits, or in one of these words.
void expect_detected(const Faults& faults, std::int64_t FaultCounts::* count,
                     const std::vector<std::string>& words, Stamps stamps = Stamps::checksums) {
  const std::vector<std::vector<double>> expected = undisturbed();
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Faults seeded = faults;
    seeded.seed = seed;
    FaultyThreads network(4, seeded, 300ms);
    std::vector<std::vector<double>> blocks;
    const std::string error = failure([&] { blocks = steps_on(network, 4, stamps); });
    if (error.empty()) {
      EXPECT_EQ(blocks, expected) << "seed " << seed;
      continue;
    }
    ++found;
    EXPECT_GT(network.counts().*count, 0);
    EXPECT_NE(error.find(", 'halo', step "), std::string::npos) << error;
    EXPECT_NE(error.find("rank "), std::string::npos) << error;
    bool said = false;
    for (const std::string& word : words)
      said = said || error.find(word) != std::string::npos;
    EXPECT_TRUE(said) << error;
  }
  EXPECT_GT(found, 3);
}

TEST(ThreadGroup, RanksThatCutTheDomainElsewhereAreFound) {
  // Faces are as large wherever the cut lies: each rank has read weights of its own.
  const std::string error = failure([] {
    ThreadGroup(2, 300ms).run([](Transport& transport) {
      std::vector<std::uint8_t> weights(static_cast<std::size_t>(domain.volume()), 1);
      for (std::size_t i = 0; transport.rank() == 0 && i < weights.size(); i += 8) // those at x = 0
        weights[i] = 9;
      const BlockGrid grid = BlockGrid::slabs(domain, {true, true, true}, 2, weights);
      Field<double> field(grid, {.rank = transport.rank()});
      HaloExchange halo(packing::exchange(field, shell, Direction::owner_to_ghost, "halo"), transport,
                        {.stamps = Stamps::checksums});
      Stream stream;
      halo(stream);
    });
  });
  EXPECT_NE(error.find("another exchange"), std::string::npos) << error;
}

TEST(FaultInjector, ALostMessageIsMissed) {
  expect_detected({.drop = 0.02}, &FaultCounts::dropped, {"waited 300 ms for rank "});
}

TEST(FaultInjector, ATruncatedMessageIsRefused) {
  expect_detected({.truncate = 0.02}, &FaultCounts::truncated, {" bytes, not "}, Stamps::off);
}

TEST(FaultInjector, ACorruptMessageIsRefused) {
  expect_detected({.corrupt = 0.02}, &FaultCounts::corrupted,
                  {"was changed on its way", "has no stamp", "says that it has"});
}

TEST(FaultInjector, ADuplicateIsRefused) {
  expect_detected({.duplicate = 0.02}, &FaultCounts::duplicated, {"belongs to step "});
}

TEST(FaultInjector, EveryScheduleOfFaultsIsDetectedOrHarmless) {
  const std::vector<std::vector<double>> expected = undisturbed();
  // HEDDLE_FAULT_SCHEDULES=3000 for more.
  const char* const wanted = std::getenv("HEDDLE_FAULT_SCHEDULES");
  const std::uint64_t schedules = wanted != nullptr ? std::stoull(wanted) : 60;
  std::uint64_t harmless = 0;
  for (std::uint64_t seed = 1; seed <= schedules; ++seed) {
    const double rate = 0.0005 * static_cast<double>(1 + (seed - 1) % 60);
    FaultyThreads network(4, {seed, rate, 0.1, 0.2, rate, rate, rate, 2ms}, 200ms);
    std::vector<std::vector<double>> blocks;
    const std::string error = failure([&] { blocks = steps_on(network, 4, Stamps::checksums, 3); });
    if (!error.empty()) continue;
    ++harmless;
    ThreadGroup calm(1);
    EXPECT_EQ(blocks, steps_on(calm, 1, Stamps::checksums, 3)) << "seed " << seed;
  }
  EXPECT_GT(harmless, schedules / 12);
  EXPECT_LT(harmless, schedules);
}

TEST(ThreadGroup, SaysWhoWaitsForWhom) {
  const BlockGrid grid(domain, {3, 1, 1}, {false, false, false}, 3);
  ThreadGroup network(3, 200ms);
  const std::string error = failure([&] {
    network.run([&](Transport& transport) {
      Field<double> field(grid, {.rank = transport.rank()});
      HaloExchange halo(packing::exchange(field, shell, Direction::owner_to_ghost, "halo"), transport);
      Stream stream;
      if (transport.rank() == 0) std::this_thread::sleep_for(2s); // long after the others have given up
      halo(stream);
    });
  });
  EXPECT_NE(error.find("rank 1, 'halo', step 0: waited 200 ms for rank 0 ("), std::string::npos) << error;
}

TEST(ThreadGroup, ARankThatStopsEndsTheOthers) {
  const BlockGrid grid(domain, {3, 1, 1}, {true, false, false}, 3);
  ThreadGroup network(3);
  const auto begin = std::chrono::steady_clock::now();
  const std::string error = failure([&] {
    network.run([&](Transport& transport) {
      Field<double> field(grid, {.rank = transport.rank()});
      HaloExchange halo(packing::exchange(field, shell, Direction::owner_to_ghost), transport);
      if (transport.rank() == 2) throw Error("test", "rank 2 gives up");
      Stream stream;
      halo(stream);
    });
  });
  EXPECT_EQ(error, "test: rank 2 gives up");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST(ThreadGroup, ExchangesInAnotherOrderAreFoundOut) {
  const BlockGrid grid(domain, {2, 1, 1}, {true, false, false}, 2);
  ThreadGroup network(2);
  const std::string error = failure([&] {
    network.run([&](Transport& transport) {
      Field<double> field(grid, {.rank = transport.rank()});
      const bool first = transport.rank() == 0;
      HaloExchange one(packing::exchange(field, shell, Direction::owner_to_ghost, first ? "a" : "b"),
                       transport, {.stamps = Stamps::checksums});
      Stream stream;
      one(stream);
    });
  });
  EXPECT_NE(error.find("belongs to another exchange"), std::string::npos) << error;
}

TEST(Transport, IsChosenAndSaysWhy) {
  const heddle::TransportCandidate never{"never", false, "it is a test", nullptr};
  heddle::TransportChoice choice = heddle::select_transport({never, heddle::local_candidate()}, "auto");
  EXPECT_EQ(choice.transport->name(), "local");
  EXPECT_EQ(choice.line, "transport local: one process has all blocks (not never: it is a test)");
  choice = heddle::select_transport({never, heddle::local_candidate()}, "local");
  EXPECT_NE(choice.line.find("asked for by name"), std::string::npos);
  EXPECT_NE(
      failure([&] { (void)heddle::select_transport({never}, "never"); }).find("cannot be used: it is a test"),
      std::string::npos);
  EXPECT_NE(failure([&] { (void)heddle::select_transport({never}, "auto"); }).find("no transport is usable"),
            std::string::npos);
  const heddle::TransportCandidate later{"later", false, "it is early", nullptr, "wait"};
  EXPECT_EQ(
      failure([&] { (void)heddle::select_transport({never, heddle::local_candidate(), later}, "smoke"); }),
      "select_transport: there is no transport 'smoke'. Hint: HEDDLE_TRANSPORT can be auto or local here");
  EXPECT_EQ(
      failure([&] { (void)heddle::select_transport({never, heddle::local_candidate(), later}, "later"); }),
      "select_transport: later cannot be used: it is early. "
      "Hint: wait; HEDDLE_TRANSPORT can be auto or local here");
}

TEST(Transport, OneRankHasNobodyToSendTo) {
  heddle::LocalTransport local;
  const heddle::Message message{1, nullptr, 8};
  Stream stream;
  EXPECT_NE(failure([&] { local.start({"halo", 0, 0, {&message, 1}, {}}, stream); }).find("no other rank"),
            std::string::npos);
}

} // namespace
