// SPDX-License-Identifier: Apache-2.0
// Lists of cells on many ranks equal one list bit for bit, with ghost cells that nobody filled made NaN
// before each step.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../support/numbers_of_ranks.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/thread_group.hpp"
#include "list_blocks_pull_sweeps.hpp"
#include "list_blocks_sweeps.hpp"
#include "lists.hpp"

namespace {

const lists::Medium porous(0.4);
const lists::Medium open_box(0.0);
/// Walls at y, free slip below and a wall above; solid cells at all of them.
const lists::Medium channel(0.3, {true, false, false}, {false, false, false, false, true, false});
/// Nothing is periodic, and faces slip where ranks meet them, too.
const lists::Medium closed(0.2, {false, false, false}, {true, false, true, true, false, true});
/// The same with walls at all faces, for lists that hold cells behind them: these know no free slip.
const lists::Medium walled_channel(0.3, {true, false, false});
const lists::Medium walled(0.2, {false, false, false});

void expect_equal(const lists::Method& method, const lists::Medium& medium,
                  const std::vector<double>& expected, int ranks, const lists::How& how, const char* what) {
  heddle::ThreadGroup network(ranks);
  std::atomic<std::int64_t> differences = 0;
  network.run([&](heddle::Transport& transport) {
    const heddle::Environment one_thread({.threads = 1}); // to start more takes longer than the steps
    differences += lists::differences(method, medium, expected, lists::cut(ranks), transport, how);
  });
  EXPECT_EQ(differences, 0) << method.name << " on " << ranks << ", " << what;
}

TEST(ListBlocks, AnyNumberOfRanksEqualsOneList) {
  // Every number for each pattern, in one precision or another.
  const std::vector<lists::Method>& methods = lists::methods();
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const auto precision = static_cast<int>(i / (methods.size() / 3));
    const std::vector<double> in_pores = lists::alone(methods[i], porous);
    for (const int ranks : test::numbers_of_ranks()) {
      if (lists::all_tests() || ranks % 3 == precision || ranks == 8 || ranks == 27)
        expect_equal(methods[i], porous, in_pores, ranks, {}, "porous");
    }
    const std::vector<double> in_the_open = lists::alone(methods[i], open_box);
    for (const int ranks : {2, 8, 27})
      expect_equal(methods[i], open_box, in_the_open, ranks, {}, "open");
  }
}

TEST(ListBlocks, WallsAndFreeSlipAtFacesOfTheDomainEqualOneList) {
  for (const lists::Method& method : lists::methods()) {
    for (const bool all_faces : {false, true}) {
      const lists::Medium& open = all_faces ? closed : channel;
      const lists::Medium& solid = all_faces ? walled : walled_channel;
      const lists::Medium& medium = method.stores_solid() ? solid : open;
      const std::vector<double> expected = lists::alone(method, medium);
      for (const int ranks : test::numbers_of_ranks({2, 3, 8, 12, 27})) {
        if (method.is_double() || ranks == 8 || lists::all_tests())
          expect_equal(method, medium, expected, ranks, {}, all_faces ? "closed" : "channel");
      }
    }
  }
}

TEST(ListBlocks, ComputingWhileMessagesTravelChangesNothing) {
  for (const lists::Method& method : lists::methods()) {
    const std::vector<double> expected = lists::alone(method, porous);
    for (const int ranks : test::numbers_of_ranks({2, 3, 8, 11})) {
      for (const bool overlap : {false, true})
        expect_equal(method, porous, expected, ranks, {{.overlap = overlap, .unroll = 2}, false},
                     overlap ? "overlapping" : "one after the other");
    }
  }
}

TEST(ListBlocks, RanksOfOneGraphThatWriteToEachOthersMemoryEqualOneList) {
  for (const lists::Method& method : lists::methods()) {
    const std::vector<double> expected = lists::alone(method, porous);
    for (const int count : {2, 8}) {
      for (const bool stores : {false, true}) {
        EXPECT_EQ(
            lists::differences(method, porous, expected, {count, lists::cut(count), {.unroll = 2}, stores}),
            0)
            << method.name << " on " << count;
      }
    }
  }
}

TEST(ListBlocks, AStepIsTakenApartWhereMessagesTravel) {
  heddle::PeerGroup group(2, {.memory = heddle::Memory::host});
  const lists::Method& pull = lists::method_named("pull f32");
  const std::unique_ptr<lists::Rank> rank = pull.make(
      porous.part({1, 1, 2}, group.transport(0), pull.links, heddle::Memory::host), group.transport(0));
  heddle::TaskGraph loop;
  rank->add_to(loop, false);
  const std::vector<std::string> steps = loop.steps();
  const auto place = [&](const std::string& part) {
    return std::ranges::find(steps, "list_blocks_pull::step " + part) - steps.begin();
  };
  EXPECT_LT(place("before start"), place("interior"));
  EXPECT_LT(place("interior"), place("before finish"));
  EXPECT_LT(place("before finish"), place("border"));
  EXPECT_LT(place("border"), std::ssize(steps));
}

/// Bytes that all ranks send in two steps.
std::size_t bytes_sent(const lists::Method& method, const lists::Medium& medium,
                       const std::array<int, 3>& blocks) {
  std::atomic<std::size_t> sent = 0;
  const int ranks = blocks[0] * blocks[1] * blocks[2];
  heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
    sent += method.make(medium.part(blocks, transport, method.links, heddle::Memory::host), transport)
                ->sent_bytes();
  });
  return sent;
}

TEST(ListBlocks, OnlyPopulationsThatCrossTravel) {
  // lbm.md, section 5: five populations a cell of a face. Pull and push send them each step, AA twice around
  // every other one.
  const std::size_t faces = 2 * 2 * 12 * 9; // of two blocks along z, both ways
  const auto open = [&](const char* name) {
    return bytes_sent(lists::method_named(name), open_box, {1, 1, 2});
  };
  EXPECT_EQ(open("pull f32"), 2 * faces * 5 * sizeof(float));
  EXPECT_EQ(open("AA f64"), 2 * faces * 5 * sizeof(double));
  EXPECT_EQ(open("AA f16"), 2 * faces * 5 * 2);
  // Esoteric patterns keep all links of a face in the cells of one side, which owns them: five there and five
  // back in each step.
  EXPECT_EQ(open("EsoTwist full-way f64"), 2 * faces * 5 * sizeof(double));
  EXPECT_EQ(open("EsoTwist half-way f16"), 2 * faces * 5 * 2);
  EXPECT_EQ(open("EsoPull half-way f32"), 2 * faces * 5 * sizeof(float));
  // Of the porous box only links between cells of which both are listed.
  std::size_t links = 0;
  const heddle::IndexList list = porous.whole(list_blocks_pull::links);
  for (std::int64_t n = 0; n < list.count(); ++n) {
    const auto [x, y, z] = list.position(n);
    for (const heddle::Link& link : list_blocks_pull::links) {
      const auto wrapped = [](std::int64_t c, std::size_t d) {
        return (c - lists::domain.lower[d] + lists::extent[d]) % lists::extent[d] + lists::domain.lower[d];
      };
      const std::array<std::int64_t, 3> from{wrapped(x + link.offset[0], 0), wrapped(y + link.offset[1], 1),
                                             wrapped(z + link.offset[2], 2)};
      const bool crosses = (from[2] < 8) != (z < 8);
      if (crosses && list.cell_of(from[0], from[1], from[2]) >= 0) ++links;
    }
  }
  for (const char* name :
       {"pull f32", "AA f32", "EsoTwist full-way f32", "EsoTwist half-way f32", "EsoPull full-way f32"})
    EXPECT_EQ(bytes_sent(lists::method_named(name), porous, {1, 1, 2}), 2 * links * sizeof(float)) << name;
}

TEST(ListBlocks, NarrowerMessagesRoundOnlyWhatTheyCarry) {
  const lists::Method narrow = lists::narrow();
  const lists::Method& wide = lists::method_named("EsoTwist full-way f64");
  const std::vector<double> expected = lists::alone(wide, porous);
  EXPECT_EQ(lists::alone(narrow, porous), expected);
  EXPECT_EQ(2 * bytes_sent(narrow, porous, {2, 2, 2}), bytes_sent(wide, porous, {2, 2, 2}));
  heddle::ThreadGroup network(2);
  std::atomic<std::int64_t> rounded = 0;
  network.run([&](heddle::Transport& transport) {
    const std::unique_ptr<lists::Rank> rank =
        narrow.make(porous.part({1, 1, 2}, transport, narrow.links, heddle::Memory::host), transport);
    lists::run(*rank, 1, {}, true);
    const std::vector<double> found = rank->values();
    heddle::LocalTransport local;
    const std::unique_ptr<lists::Rank> one = wide.make(porous.whole(wide.links), local);
    lists::run(*one, 1, {}, false);
    const std::vector<double> exact = one->values();
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] == 0.0 || found[i] == exact[i]) continue;
      ++rounded;
      EXPECT_NEAR(found[i], exact[i], 1e-3 * 0x1p-20);
    }
  });
  EXPECT_GT(rounded, 100);
}

TEST(ListBlocks, ListsThatCannotBeAreRefused) {
  const heddle::FlagReader reader = heddle::flags_in_memory(porous.flags, lists::domain, porous.periodic);
  const heddle::BlockGrid grid(lists::domain, {1, 1, 2}, porous.periodic, 2);
  EXPECT_THROW(heddle::IndexList(grid, 0, reader, list_blocks::links, heddle::Memory::host,
                                 {false, false, false, false, true, false}),
               heddle::Error);
  // Two lists in one exchange.
  const heddle::IndexList a(grid, 0, reader, list_blocks::links);
  const heddle::IndexList b(grid, 1, reader, list_blocks::links);
  heddle::SparseField<double> f(a, 19);
  heddle::SparseField<double> g(b, 19);
  heddle::SparseExchange exchange = list_blocks::StepOdd<double>(f, a.all(), {.omega = 1}).before();
  EXPECT_THROW(exchange.add(g), heddle::Error);
}

} // namespace
