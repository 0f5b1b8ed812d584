// SPDX-License-Identifier: Apache-2.0
// A kernel on a box of cells between a step and its exchange is taken apart as the step is: the same bits on
// any number of ranks, and messages that wait for its border alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "blocks.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/grid/region_sweep.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/thread_group.hpp"
#include "traced.hpp"

namespace {

using Field = blocks::Field<double>;
using heddle::Box;

constexpr std::array<bool, 3> duct{true, false, false};

/// Changes each population of the cells in its own way, and touches no others.
heddle::RegionSweep source(Field& f, const Box& cells) {
  return {"source", f, cells, 0, [&f](int block, const Box& box, heddle::Stream&) {
            const heddle::FieldView<double> view = heddle::part(f.view(block), box);
            for (int q = 0; q < 19; ++q) {
              for (std::int64_t z = 0; z < view.extent(2); ++z) {
                for (std::int64_t y = 0; y < view.extent(1); ++y) {
                  for (std::int64_t x = 0; x < view.extent(0); ++x)
                    view(x, y, z, q) = 0.75 * view(x, y, z, q) + 1e-4 * q;
                }
              }
            }
          }};
}

/// AA with a source after the even step, whose values cross before the odd one, and after that.
class InPlace final : public blocks::Rank<double> {
public:
  InPlace(const heddle::BlockGrid& grid, heddle::Transport& transport, const Box& cells)
      : f_(blocks::field<double>(grid, transport.rank())),
        even_(lbm_blocks::AaEven<double>(f_, {.omega = blocks::omega}), transport),
        odd_(lbm_blocks::AaOdd<double>(f_, {.omega = blocks::omega}), transport), source_(source(f_, cells)) {
  }
  Field& field() override { return f_; }
  void add_to(heddle::TaskGraph& loop, bool) override {
    even_.add_to(loop);
    loop.add(source_);
    odd_.add_to(loop);
    loop.add(source_);
  }

private:
  Field f_;
  test::ExchangedStep<lbm_blocks::AaEven<double>> even_;
  test::ExchangedStep<lbm_blocks::AaOdd<double>> odd_;
  heddle::RegionSweep source_;
};

/// Pull from one array into another and back, with a source in what has been written.
class TwoArrays final : public blocks::Rank<double> {
public:
  TwoArrays(const heddle::BlockGrid& grid, heddle::Transport& transport, const Box& cells)
      : f_(blocks::field<double>(grid, transport.rank())),
        f_next_(blocks::field<double>(grid, transport.rank(), "f_next")),
        there_(lbm_blocks::Pull<double>(f_, f_next_, {.omega = blocks::omega}), transport),
        back_(lbm_blocks::Pull<double>(f_next_, f_, {.omega = blocks::omega}), transport),
        source_there_(source(f_next_, cells)), source_back_(source(f_, cells)) {}
  Field& field() override { return f_; }
  void add_to(heddle::TaskGraph& loop, bool) override {
    there_.add_to(loop);
    loop.add(source_there_);
    back_.add_to(loop);
    loop.add(source_back_);
  }

private:
  Field f_;
  Field f_next_;
  test::ExchangedStep<lbm_blocks::Pull<double>> there_;
  test::ExchangedStep<lbm_blocks::Pull<double>> back_;
  heddle::RegionSweep source_there_;
  heddle::RegionSweep source_back_;
};

constexpr double u_lid = 0.05, v_lid = -0.02;

/// AA below a lid that moves: emitted sweeps over the layer, which know where it is.
class LidInPlace final : public blocks::Rank<double> {
public:
  LidInPlace(const heddle::BlockGrid& grid, heddle::Transport& transport)
      : f_(blocks::field<double>(grid, transport.rank())),
        even_(lbm_blocks::AaEven<double>(f_, {.omega = blocks::omega}), transport),
        odd_(lbm_blocks::AaOdd<double>(f_, {.omega = blocks::omega}), transport) {}
  Field& field() override { return f_; }
  void add_to(heddle::TaskGraph& loop, bool) override {
    even_.add_to(loop);
    loop.add(lbm_blocks::AaLidAfterEven(f_, {.u_lid = u_lid, .v_lid = v_lid}));
    odd_.add_to(loop);
    loop.add(lbm_blocks::AaLidAfterOdd(f_, {.u_lid = u_lid, .v_lid = v_lid}));
  }

private:
  Field f_;
  test::ExchangedStep<lbm_blocks::AaEven<double>> even_;
  test::ExchangedStep<lbm_blocks::AaOdd<double>> odd_;
};

/// The same with two arrays.
class LidOverTwoArrays final : public blocks::Rank<double> {
public:
  LidOverTwoArrays(const heddle::BlockGrid& grid, heddle::Transport& transport)
      : f_(blocks::field<double>(grid, transport.rank())),
        f_next_(blocks::field<double>(grid, transport.rank(), "f_next")),
        there_(lbm_blocks::Pull<double>(f_, f_next_, {.omega = blocks::omega}), transport),
        back_(lbm_blocks::Pull<double>(f_next_, f_, {.omega = blocks::omega}), transport) {}
  Field& field() override { return f_; }
  void add_to(heddle::TaskGraph& loop, bool) override {
    loop.add(lbm_blocks::PullLid(f_, {.u_lid = u_lid, .v_lid = v_lid}));
    there_.add_to(loop);
    loop.add(lbm_blocks::PullLid(f_next_, {.u_lid = u_lid, .v_lid = v_lid}));
    back_.add_to(loop);
  }

private:
  Field f_;
  Field f_next_;
  test::ExchangedStep<lbm_blocks::Pull<double>> there_;
  test::ExchangedStep<lbm_blocks::Pull<double>> back_;
};

template <class Steps> blocks::Pattern<double> with_source(std::string name, const Box& cells) {
  return {std::move(name), duct, [cells](const heddle::BlockGrid& grid, heddle::Transport& transport) {
            return std::make_unique<Steps>(grid, transport, cells);
          }};
}

const Box lid = blocks::domain.layer(2, true);
const Box side = blocks::domain.layer(1, false);
const Box within{{2, 1, 2}, {8, 6, 6}};

/// The same bits on 1 to 8 ranks, with and without overlap.
void expect_same_on_ranks(const blocks::Pattern<double>& pattern, const std::string& what) {
  const blocks::Outcome<double> whole = blocks::alone(pattern, duct);
  for (int ranks = 1; ranks <= 8; ++ranks) {
    const std::array<int, 3> cut = ranks == 6 ? std::array{1, 1, 6} : std::array{2, 2, 2};
    for (const bool overlap : {false, true}) {
      heddle::ThreadGroup network(ranks);
      std::atomic<std::int64_t> differences = 0;
      network.run([&](heddle::Transport& transport) {
        const heddle::Environment one_thread({.threads = 1});
        differences +=
            blocks::differences(pattern, whole, heddle::BlockGrid(blocks::domain, cut, duct, ranks),
                                transport, {{.overlap = overlap, .unroll = 2}, false});
      });
      EXPECT_EQ(differences, 0) << pattern.name << ' ' << what << " on " << ranks << " ranks, "
                                << (overlap ? "overlapping" : "one after the other");
    }
  }
}

TEST(RegionSweeps, AnyNumberOfRanksEqualsOneBlock) {
  for (const Box& cells : {lid, side, within}) {
    expect_same_on_ranks(with_source<InPlace>("AA", cells), to_string(cells));
    expect_same_on_ranks(with_source<TwoArrays>("pull", cells), to_string(cells));
  }
}

TEST(LayerSweeps, AnyNumberOfRanksEqualsOneBlock) {
  expect_same_on_ranks(blocks::pattern<double, LidInPlace>("AA", duct), "lid");
  expect_same_on_ranks(blocks::pattern<double, LidOverTwoArrays>("pull", duct), "lid");
}

TEST(LayerSweeps, AreTheKernelOnTheirLayer) {
  for (const std::array<int, 3>& cut : {std::array{1, 1, 1}, std::array{2, 2, 2}}) {
    const heddle::BlockGrid grid(blocks::domain, cut, duct);
    Field swept = blocks::field<double>(grid, 0), called = blocks::field<double>(grid, 0);
    heddle::TaskGraph once;
    once.add(lbm_blocks::AaLidAfterEven(swept, {.u_lid = u_lid, .v_lid = v_lid}));
    once.run();
    for (int block = 0; block < called.blocks(); ++block) {
      const Box& own = called.box(block);
      const Box cells = lid.intersect(own).shift({-own.lower[0], -own.lower[1], -own.lower[2]});
      if (cells.empty()) continue;
      lbm_blocks::aa_lid_after_even(heddle::part(called.view(block), cells),
                                    heddle::walls_of(called, block, cells), u_lid, v_lid);
    }
    EXPECT_EQ(blocks::values(swept), blocks::values(called));
    EXPECT_NE(blocks::values(swept), blocks::values(blocks::field<double>(grid, 0)));
  }
}

TEST(LayerSweeps, RefuseAPeriodicFace) {
  const heddle::BlockGrid grid(blocks::domain, {1, 1, 1}, {true, true, true});
  Field f = blocks::field<double>(grid, 0);
  EXPECT_THROW(lbm_blocks::AaLidAfterEven(f, {.u_lid = u_lid, .v_lid = v_lid}), heddle::Error);
}

/// What rank `rank` of two runs in an iteration, cut along z.
std::vector<std::string> steps_of(int rank, const Box& cells) {
  heddle::PeerGroup group(2, {.memory = heddle::Memory::host});
  const heddle::BlockGrid grid(blocks::domain, {1, 1, 2}, duct, 2);
  InPlace steps(grid, group.transport(rank), cells);
  heddle::TaskGraph loop;
  steps.add_to(loop, false);
  return loop.steps();
}

TEST(RegionSweeps, OnlyTheirBorderComesBeforeTheMessages) {
  const auto place = [](const std::vector<std::string>& steps, const std::string& step) {
    return std::ranges::find(steps, step) - steps.begin();
  };
  const std::vector<std::string> both = steps_of(1, within);
  EXPECT_EQ(std::ranges::count(both, "source border") + std::ranges::count(both, "source interior"), 4);
  EXPECT_LT(place(both, "lbm_blocks::aa_even border"), place(both, "source border"));
  EXPECT_LT(place(both, "source border"), place(both, "lbm_blocks::aa_odd before start"));
  EXPECT_LT(place(both, "lbm_blocks::aa_odd before start"), place(both, "lbm_blocks::aa_even interior"));
  EXPECT_LT(place(both, "lbm_blocks::aa_even interior"), place(both, "source interior"));
  EXPECT_LT(place(both, "source interior"), place(both, "lbm_blocks::aa_odd interior"));

  // The lid is part of the upper rank's border, and no part of the lower rank.
  const std::vector<std::string> upper = steps_of(1, lid);
  EXPECT_EQ(std::ranges::count(upper, "source border"), 2);
  EXPECT_EQ(std::ranges::count(upper, "source interior"), 0);
  const std::vector<std::string> lower = steps_of(0, lid);
  EXPECT_EQ(std::ranges::count_if(lower, [](const std::string& step) { return step.starts_with("source"); }),
            0);
}

TEST(RegionSweeps, InteriorsAreComputedWhileMessagesTravel) {
  for (const Box& cells : {lid, within}) {
    heddle::Trace trace;
    const heddle::BlockGrid grid(blocks::domain, {1, 1, 2}, duct, 2);
    heddle::ThreadGroup network(2);
    network.run([&](heddle::Transport& transport) {
      InPlace steps(grid, transport, cells);
      heddle::TaskGraph loop({.trace = &trace, .trace_process = transport.rank()});
      steps.add_to(loop, false);
      loop.run(2);
    });
    EXPECT_EQ(traced::steps_within_journeys(trace, "lbm_blocks::aa", " interior"), std::vector<int>(8, 1))
        << to_string(cells);
  }
}

TEST(RegionSweeps, AnOrderThroughOneWithoutCellsHolds) {
  // 'late' comes before 'source', that before 'early': so also where the source has no cells here.
  heddle::LocalTransport local;
  Field f = blocks::field<double>(heddle::BlockGrid(blocks::domain, {1, 1, 1}, duct), 0);
  heddle::RegionSweep elsewhere = source(f, Box{{20, 0, 0}, {21, 1, 1}});
  std::string order;
  heddle::TaskGraph graph;
  const std::size_t early = graph.add("early", {}, [&](heddle::Stream&) { order += "early "; });
  const std::size_t nothing = graph.add(elsewhere);
  const std::size_t late = graph.add("late", {}, [&](heddle::Stream&) { order += "late "; });
  graph.order(nothing, early);
  graph.order(late, nothing);
  graph.run();
  EXPECT_EQ(order, "late early ");
  EXPECT_EQ(graph.steps(), (std::vector<std::string>{"late", "early"}));
}

TEST(RegionSweeps, NeedAKernel) {
  const Field f = blocks::field<double>(heddle::BlockGrid(blocks::domain, {1, 1, 1}, duct), 0);
  EXPECT_THROW(heddle::RegionSweep("source", f, lid, 0, nullptr), heddle::Error);
}

} // namespace
