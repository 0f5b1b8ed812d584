// SPDX-License-Identifier: Apache-2.0
// A graph whose sweeps look at what other ranks have changed, without an exchange, is refused.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "../../support/packing.hpp"
#include "heddle/core/error.hpp"
#include "heddle/graph/sweep.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/region_sweep.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::AccessMode;
using heddle::Direction;
using heddle::Field;
using heddle::TaskGraph;

/// A sweep that declares some accesses and does nothing.
class Sweep {
public:
  Sweep(const Field<double>& on, std::vector<heddle::FieldAccess> accesses)
      : on_(&on), accesses_(std::move(accesses)) {}
  std::string_view name() const { return "step"; }
  std::vector<heddle::FieldAccess> accesses() const { return accesses_; }
  const heddle::BlockGrid& grid() const { return on_->grid(); }
  int rank() const { return on_->rank(); }
  void operator()(heddle::Stream&) {}
  void operator()(heddle::Stream&, const heddle::BlockPart&) {}

private:
  const Field<double>* on_;
  std::vector<heddle::FieldAccess> accesses_;
};

heddle::FieldAccess reading(const Field<double>& f, int reach) {
  return {&f, f.name(), AccessMode::read, reach};
}
heddle::FieldAccess writing(const Field<double>& f, int reach) {
  return {&f, f.name(), AccessMode::write, reach};
}

/// What the graph of one rank says that runs so often; its tasks are added by `add`.
template <class Add> std::string refusal(int ranks, int iterations, Add&& add) {
  std::string said;
  heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
    const heddle::BlockGrid grid({{0, 0, 0}, {4, 4, 8}}, {1, 1, 2}, {true, true, true}, ranks);
    Field<double> f(grid, {.name = "f", .rank = transport.rank()});
    Field<double> g(grid, {.name = "g", .rank = transport.rank()});
    TaskGraph loop({.name = "loop"});
    add(loop, f, g, transport);
    try {
      loop.run(iterations);
    } catch (const heddle::Error& error) {
      if (transport.rank() == 0) said = error.what();
    }
  });
  return said;
}

const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(1, {1, 1, 1});

heddle::HaloExchange exchange(Field<double>& field, Direction direction, heddle::Transport& transport) {
  return {packing::exchange(field, shell, direction, "halo"), transport};
}

TEST(MissingExchange, IsFoundWhereSweepsReadWhatOtherRanksChange) {
  const auto in_turns = [](TaskGraph& loop, Field<double>& f, Field<double>& g, heddle::Transport&) {
    loop.add(Sweep(f, {reading(f, 1), writing(g, 0)}));
    loop.add(Sweep(f, {reading(g, 0), writing(f, 0)}));
  };
  const std::string said = refusal(2, 2, in_turns);
  EXPECT_NE(said.find("'step' of graph 'loop' reads 'f' outside of its blocks, but 'step' of graph 'loop' "
                      "changed it, and no exchange has updated the ghost layers since"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("HaloExchange(step.before(), transport)"), std::string::npos) << said;
  EXPECT_EQ(refusal(2, 1, in_turns), "") << "nobody has changed it before the first run";
  EXPECT_NE(refusal(1, 2, in_turns), "") << "one rank, whose blocks are neighbours";
  EXPECT_NE(refusal(2, 1,
                    [](TaskGraph& loop, Field<double>& f, Field<double>& g, heddle::Transport&) {
                      loop.add(Sweep(f, {writing(f, 0)}));
                      loop.add(Sweep(f, {reading(f, 1), writing(g, 0)}));
                    }),
            "")
      << "within one run nobody can";
}

/// A sweep of a model without add_halo(), which reaches along some axes.
struct Smooth : heddle::DenseSweep<Smooth, 3> {
  Smooth(Field<double>& u, Field<double>& v, heddle::Reach reach)
      : Smooth::base("m::smooth", heddle::reads(u, reach), heddle::writes(v)) {}
  static void host(const auto&...) {}
};

TEST(MissingExchange, IsFoundOnOneRankWithoutAHaloInTheModel) {
  const auto said = [](const std::array<int, 3>& blocks, const std::array<bool, 3>& periodic,
                       heddle::Reach reach) {
    const heddle::BlockGrid grid({{0, 0, 0}, {8, 8, 8}}, blocks, periodic);
    Field<double> f(grid, {.name = "f"}), g(grid, {.name = "g"});
    TaskGraph loop({.name = "loop"});
    loop.add(Smooth(f, g, reach));
    loop.add(Smooth(g, f, reach));
    try {
      loop.run(2);
    } catch (const heddle::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  constexpr std::array<bool, 3> closed{};
  EXPECT_EQ(said({1, 1, 1}, closed, 1), "") << "ghost cells are those of the domain's faces";
  EXPECT_NE(said({2, 2, 1}, closed, 1).find("'m::smooth' of graph 'loop' reads 'g' outside of its blocks"),
            std::string::npos);
  EXPECT_NE(said({2, 2, 1}, closed, 1).find("for which the model calls add_halo()"), std::string::npos);
  EXPECT_NE(said({1, 1, 1}, {true, false, false}, 1), "") << "a periodic face";
  EXPECT_EQ(said({2, 2, 1}, closed, 0), "");
  EXPECT_EQ(said({2, 2, 1}, closed, {0, 0, 1}), "") << "columns are not divided";
  EXPECT_NE(said({1, 1, 2}, closed, {0, 0, 1}), "");
  EXPECT_EQ(said({1, 1, 1}, {true, true, false}, {0, 0, 1}), "");
}

TEST(MissingExchange, IsFoundWhereOneFieldIsTakenForAnother) {
  const auto swapped = [](bool right) {
    return [right](TaskGraph& loop, Field<double>& f, Field<double>& g, heddle::Transport& transport) {
      loop.add(exchange(right ? f : g, Direction::owner_to_ghost, transport));
      loop.add(Sweep(f, {reading(f, 1), writing(g, 0)}));
      loop.add(Sweep(f, {reading(g, 0), writing(f, 0)}));
    };
  };
  EXPECT_NE(refusal(2, 2, swapped(false)).find("'step' of graph 'loop' reads 'f'"), std::string::npos);
  EXPECT_EQ(refusal(2, 2, swapped(true)), "");
}

TEST(MissingExchange, IsFoundWhereWhatIsWrittenBeyondBlocksStaysThere) {
  const auto pushes = [](bool before, bool after) {
    return [=](TaskGraph& loop, Field<double>& f, Field<double>&, heddle::Transport& transport) {
      if (before) loop.add(exchange(f, Direction::owner_to_ghost, transport));
      loop.add(Sweep(f, {reading(f, 1), writing(f, 1)}));
      if (after) loop.add(exchange(f, Direction::ghost_to_owner, transport));
    };
  };
  const std::string said = refusal(2, 2, pushes(true, false));
  EXPECT_NE(said.find("reads 'f', but 'step' of graph 'loop' wrote some of it outside of its blocks"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("HaloExchange(step.after(), transport)"), std::string::npos) << said;
  EXPECT_NE(refusal(2, 2, pushes(false, true)).find("'step' of graph 'loop' reads 'f' outside of its blocks"),
            std::string::npos);
  EXPECT_EQ(refusal(2, 2, pushes(true, true)), "");
}

TEST(MissingExchange, IsNoneWhereNothingChangesOrSomebodyElseWrites) {
  EXPECT_EQ(refusal(2, 5,
                    [](TaskGraph& loop, Field<double>& f, Field<double>& g, heddle::Transport&) {
                      loop.add(
                          Sweep(f, {reading(f, 1), writing(g, 0)})); // f has been exchanged once and for all
                    }),
            "");
  EXPECT_EQ(refusal(2, 5,
                    [](TaskGraph& loop, Field<double>& f, Field<double>& g, heddle::Transport&) {
                      loop.add("by hand", {writing(f, heddle::FieldAccess::anywhere)},
                               [](heddle::Stream&) {});
                      loop.add(Sweep(f, {reading(f, 1), writing(g, 0)}));
                      loop.add(Sweep(f, {reading(g, 0), writing(f, 0)}));
                    }),
            "");
}

/// A boundary of two arrays of populations sets what comes in from outside of the domain: no rank owns that.
TEST(MissingExchange, IsNoneWhereASweepOverSomeCellsReachesOutOfTheDomain) {
  for (const bool exchanged : {true, false}) {
    const auto with_a_lid = [=](TaskGraph& loop, Field<double>& f, Field<double>& g,
                                heddle::Transport& transport) {
      if (exchanged) loop.add(exchange(f, Direction::owner_to_ghost, transport));
      loop.add(Sweep(f, {reading(f, 1), writing(g, 0)}));
      loop.add(heddle::RegionSweep("lid", f, f.grid().domain().layer(1, true), 1,
                                   [](int, const heddle::Box&, heddle::Stream&) {}));
    };
    const std::string said = refusal(2, 2, with_a_lid);
    EXPECT_EQ(said.empty(), exchanged) << said;
    EXPECT_EQ(said.find("'lid' of graph 'loop' reads"), std::string::npos) << said;
  }
}

/// Two graphs that run in turn: `first` changes f, `second` looks beyond its blocks.
class BetweenTwoGraphs : public testing::Test {
public:
  static void add_change(TaskGraph& graph, Field<double>& f) { graph.add(Sweep(f, {writing(f, 0)})); }
  void SetUp() override {
    add_change(first, f);
    second.add(Sweep(g, {reading(f, 1), writing(g, 0)}));
  }
  static std::string refused(TaskGraph& graph, int iterations = 1) {
    try {
      graph.run(iterations);
    } catch (const heddle::Error& error) {
      return error.what();
    }
    return "";
  }
  heddle::HaloExchange exchange(Direction direction) {
    return heddle::HaloExchange(packing::exchange(f, shell, direction, "halo"));
  }

  heddle::BlockGrid grid{{{0, 0, 0}, {4, 4, 8}}, {1, 1, 2}}; // two blocks of one rank
  Field<double> f{grid, {.name = "f"}}, g{grid, {.name = "g"}};
  TaskGraph first{{.name = "first"}}, second{{.name = "second"}};
};

TEST_F(BetweenTwoGraphs, AMissingExchangeIsFound) {
  EXPECT_EQ(refused(second), "") << "nothing is known of the field yet";
  first.run();
  const std::string said = refused(second);
  EXPECT_NE(said.find("'step' of graph 'second' reads 'f' outside of its blocks, but 'step' of graph 'first' "
                      "changed it"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("in one of the graphs or by itself; if other code has filled them, call "
                      ".halo_state().filled() of 'f'"),
            std::string::npos)
      << said;
  EXPECT_NE(refused(second), "") << "a refusal changes nothing";
}

TEST_F(BetweenTwoGraphs, AnExchangeInEitherOrBetweenThemIsEnough) {
  first.run();
  heddle::HaloExchange halo = exchange(Direction::owner_to_ghost);
  heddle::Stream stream;
  halo(stream);
  EXPECT_EQ(refused(second, 3), "");
  first.run();
  TaskGraph exchanged({.name = "exchanged"});
  exchanged.add(halo);
  exchanged.add(Sweep(g, {reading(f, 1), writing(g, 0)}));
  EXPECT_EQ(refused(exchanged, 3), "");
  EXPECT_EQ(refused(second), "") << "the graph before has left the ghost layers as they should be";
  first.add(halo);
  first.run();
  EXPECT_EQ(refused(second), "");
}

TEST_F(BetweenTwoGraphs, AnExchangeOfTheOtherDirectionOrBeforeTheChangeIsNot) {
  heddle::HaloExchange back = exchange(Direction::ghost_to_owner);
  heddle::HaloExchange halo = exchange(Direction::owner_to_ghost);
  heddle::Stream stream;
  first.run();
  back(stream);
  EXPECT_NE(refused(second), "");
  TaskGraph early({.name = "early"});
  early.add(halo);
  add_change(early, f);
  early.run(3);
  EXPECT_NE(refused(second).find("'step' of graph 'early' changed it"), std::string::npos);
}

TEST_F(BetweenTwoGraphs, WhoFillsGhostLayersByHandSaysSo) {
  first.run();
  f.halo_state().filled();
  EXPECT_EQ(refused(second), "");
  first.run();
  f.fill(1.0);
  EXPECT_EQ(refused(second), "") << "all cells, ghost cells too";
  first.run();
  TaskGraph by_hand({.name = "by hand"});
  by_hand.add("wrap", {writing(f, heddle::FieldAccess::anywhere)}, [](heddle::Stream&) {});
  by_hand.run();
  EXPECT_EQ(refused(second), "");
}

TEST_F(BetweenTwoGraphs, WhatIsKnownFollowsTheValues) {
  first.run();
  std::swap(f, g);
  EXPECT_EQ(refused(second), "") << "the memory of g, which nobody has changed";
  Field<double> copy(grid, {.name = "copy"});
  copy.copy_from(f);
  TaskGraph smooth({.name = "smooth"});
  smooth.add(Sweep(g, {reading(copy, 1)}));
  EXPECT_EQ(refused(smooth), "");
  copy.copy_from(g);
  EXPECT_NE(refused(smooth), "");
}

TEST_F(BetweenTwoGraphs, GraphsThatAreTasksAreSeenThrough) {
  TaskGraph both({.name = "both"});
  both.add(first);
  both.add(second);
  EXPECT_NE(refused(both).find("'step' of graph 'both' reads 'f'"), std::string::npos);
  TaskGraph exchanged({.name = "exchanged"});
  exchanged.add(first);
  exchanged.add(exchange(Direction::owner_to_ghost));
  exchanged.add(second);
  EXPECT_EQ(refused(exchanged, 3), "");
  EXPECT_EQ(refused(second), "");
}

TEST_F(BetweenTwoGraphs, AGraphThatIsCalledByItselfIsChecked) {
  heddle::Stream stream;
  first(stream);
  EXPECT_THROW(second(stream), heddle::Error);
  heddle::HaloExchange halo = exchange(Direction::owner_to_ghost);
  halo(stream);
  second(stream);
}

/// An exchange of one layer is not enough for a sweep that reads two.
TEST_F(BetweenTwoGraphs, AnExchangeOfFewerLayersIsNotEnough) {
  Field<double> wide(grid, {.ghost_layers = 2, .name = "wide"}), to(grid, {.name = "to"});
  const auto exchange_of = [&](int layers) {
    return heddle::HaloExchange(packing::exchange(wide, heddle::ghost_shell(1, {layers, layers, layers}),
                                                  Direction::owner_to_ghost, "halo of wide"));
  };
  heddle::HaloExchange thin = exchange_of(1), thick = exchange_of(2);
  TaskGraph change({.name = "change"}), near({.name = "near"}), far({.name = "far"}), all({.name = "all"});
  change.add(Sweep(wide, {writing(wide, 0)}));
  near.add(Sweep(to, {reading(wide, 1), writing(to, 0)}));
  far.add(Sweep(to, {reading(wide, 2), writing(to, 0)}));
  heddle::Stream stream;
  change.run();
  thin(stream);
  EXPECT_EQ(refused(near), "");
  const std::string said = refused(far);
  EXPECT_NE(said.find("'step' of graph 'far' reads 'wide' outside of its blocks, further than the 1 ghost "
                      "layer that exchanges have updated since 'step' of graph 'change' changed it"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("the exchange of the sweep that reaches furthest"), std::string::npos) << said;
  thick(stream);
  EXPECT_EQ(refused(far), "");
  all.add(change);
  all.add(thin);
  all.add(far);
  EXPECT_NE(refused(all), "") << "within a graph";
  all = TaskGraph({.name = "all"});
  all.add(change);
  all.add(thick);
  all.add(thin);
  all.add(far);
  EXPECT_EQ(refused(all, 2), "") << "the layers that any exchange has moved";
}

/// Sweeps that are called without a graph.
TEST(SweepsWithoutAGraph, FollowEachOther) {
  const heddle::BlockGrid grid({{0, 0, 0}, {8, 8, 8}}, {2, 1, 1});
  Field<double> f(grid, {.name = "f"}), g(grid, {.name = "g"});
  Smooth there(f, g, 1), back(g, f, 1), pointwise(g, f, 0);
  heddle::Stream stream;
  const auto said = [&](auto& task) {
    try {
      task(stream);
    } catch (const heddle::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said(there), "") << "nothing has changed f";
  EXPECT_NE(said(back).find("'m::smooth' reads 'g' outside of its blocks, but 'm::smooth' changed it"),
            std::string::npos);
  EXPECT_EQ(said(pointwise), "");
  heddle::HaloExchange halo(packing::exchange(g, shell, Direction::owner_to_ghost, "halo"));
  halo(stream);
  EXPECT_EQ(said(back), "");
  TaskGraph loop({.name = "loop"});
  loop.add(there);
  EXPECT_THROW(loop.run(), heddle::Error) << "a graph knows what was called without one";
  f.halo_state().filled();
  loop.run();
  EXPECT_NE(said(back).find("'m::smooth' of graph 'loop' changed it"), std::string::npos);
  const heddle::RegionSweep lid("lid", f, grid.domain().layer(1, true), 0,
                                [](int, const heddle::Box&, heddle::Stream&) {});
  f.halo_state().filled();
  EXPECT_EQ(said(lid), "");
  EXPECT_NE(said(there).find("'lid' changed it"), std::string::npos);
}

TEST_F(BetweenTwoGraphs, TasksWithPeriodsCountWhenTheyRun) {
  TaskGraph sometimes({.name = "sometimes"});
  sometimes.add(exchange(Direction::owner_to_ghost), {.every = 3});
  first.run();
  sometimes.run(1); // iteration 0
  EXPECT_EQ(refused(second), "");
  first.run();
  sometimes.run(2);
  EXPECT_NE(refused(second), "");
  sometimes.run(1); // iteration 3
  EXPECT_EQ(refused(second), "");
}

TEST_F(BetweenTwoGraphs, WhatIsWrittenBeyondBlocksMustReachItsOwners) {
  TaskGraph pushes({.name = "pushes"}), local({.name = "local"});
  pushes.add(Sweep(f, {writing(f, 1)}));
  local.add(Sweep(f, {reading(f, 0), writing(g, 0)}));
  pushes.run();
  const std::string said = refused(local);
  EXPECT_NE(said.find("'step' of graph 'local' reads 'f', but 'step' of graph 'pushes' wrote some of it "
                      "outside of its blocks"),
            std::string::npos)
      << said;
  heddle::HaloExchange after = exchange(Direction::ghost_to_owner);
  heddle::Stream stream;
  after(stream);
  EXPECT_EQ(refused(local), "");
}

TEST(MissingExchange, IsFoundAtPeriodicFacesBetweenTwoGraphs) {
  for (const bool periodic : {false, true}) {
    const heddle::BlockGrid grid({{0, 0, 0}, {8, 8, 8}}, {1, 1, 1}, {periodic, false, false});
    Field<double> f(grid, {.name = "f"}), g(grid, {.name = "g"});
    TaskGraph there({.name = "there"}), back({.name = "back"});
    there.add(Smooth(f, g, 1));
    back.add(Smooth(g, f, 1));
    there.run();
    EXPECT_EQ(BetweenTwoGraphs::refused(back).empty(), !periodic);
  }
}

TEST(MissingExchange, IsFoundInAGraphThatRunsOnceEachTime) {
  const heddle::BlockGrid grid({{0, 0, 0}, {8, 8, 8}}, {2, 1, 1});
  Field<double> f(grid, {.name = "f"}), g(grid, {.name = "g"});
  TaskGraph loop({.name = "loop"});
  loop.add(Smooth(f, g, 1));
  loop.add(Smooth(g, f, 0));
  loop.run();
  EXPECT_NE(BetweenTwoGraphs::refused(loop).find("reads 'f' outside of its blocks"), std::string::npos);
}

} // namespace
