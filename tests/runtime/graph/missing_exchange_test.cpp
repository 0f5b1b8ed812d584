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
  EXPECT_NE(
      said.find("'step' reads 'f' outside of its blocks, but no exchange of graph 'loop' updates it with the "
                "changes of other blocks"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("HaloExchange(step.before(), transport)"), std::string::npos) << said;
  EXPECT_EQ(refusal(2, 1, in_turns), "") << "between two runs somebody else may exchange";
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
  EXPECT_NE(said({2, 2, 1}, closed, 1).find("'m::smooth' reads 'f' outside of its blocks"),
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
  EXPECT_NE(refusal(2, 2, swapped(false)).find("'step' reads 'f'"), std::string::npos);
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
  EXPECT_NE(said.find("'step' writes 'f' outside of its blocks"), std::string::npos) << said;
  EXPECT_NE(said.find("HaloExchange(step.after(), transport)"), std::string::npos) << said;
  EXPECT_NE(refusal(2, 2, pushes(false, true)).find("'step' reads 'f' outside of its blocks"),
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
    EXPECT_EQ(said.find("'lid' "), std::string::npos) << said;
  }
}

} // namespace
