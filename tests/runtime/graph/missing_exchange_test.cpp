// SPDX-License-Identifier: Apache-2.0
// A graph whose sweeps look at what other ranks have changed, without an exchange, is refused.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "../../support/packing.hpp"
#include "heddle/core/error.hpp"
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

heddle::FieldAccess reads(const Field<double>& f, int reach) {
  return {&f, f.name(), AccessMode::read, reach};
}
heddle::FieldAccess writes(const Field<double>& f, int reach) {
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
    loop.add(Sweep(f, {reads(f, 1), writes(g, 0)}));
    loop.add(Sweep(f, {reads(g, 0), writes(f, 0)}));
  };
  const std::string said = refusal(2, 2, in_turns);
  EXPECT_NE(
      said.find("'step' reads 'f' outside the blocks of its rank, but no exchange of graph 'loop' updates"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("HaloExchange(step.before(), transport)"), std::string::npos) << said;
  EXPECT_EQ(refusal(2, 1, in_turns), "") << "between two runs somebody else may exchange";
  EXPECT_EQ(refusal(1, 2, in_turns), "") << "one rank has no other";
  EXPECT_NE(refusal(2, 1,
                    [](TaskGraph& loop, Field<double>& f, Field<double>& g, heddle::Transport&) {
                      loop.add(Sweep(f, {writes(f, 0)}));
                      loop.add(Sweep(f, {reads(f, 1), writes(g, 0)}));
                    }),
            "")
      << "within one run nobody can";
}

TEST(MissingExchange, IsFoundWhereOneFieldIsTakenForAnother) {
  const auto swapped = [](bool right) {
    return [right](TaskGraph& loop, Field<double>& f, Field<double>& g, heddle::Transport& transport) {
      loop.add(exchange(right ? f : g, Direction::owner_to_ghost, transport));
      loop.add(Sweep(f, {reads(f, 1), writes(g, 0)}));
      loop.add(Sweep(f, {reads(g, 0), writes(f, 0)}));
    };
  };
  EXPECT_NE(refusal(2, 2, swapped(false)).find("'step' reads 'f'"), std::string::npos);
  EXPECT_EQ(refusal(2, 2, swapped(true)), "");
}

TEST(MissingExchange, IsFoundWhereWhatIsWrittenBeyondBlocksStaysThere) {
  const auto pushes = [](bool before, bool after) {
    return [=](TaskGraph& loop, Field<double>& f, Field<double>&, heddle::Transport& transport) {
      if (before) loop.add(exchange(f, Direction::owner_to_ghost, transport));
      loop.add(Sweep(f, {reads(f, 1), writes(f, 1)}));
      if (after) loop.add(exchange(f, Direction::ghost_to_owner, transport));
    };
  };
  const std::string said = refusal(2, 2, pushes(true, false));
  EXPECT_NE(said.find("'step' writes 'f' outside the blocks"), std::string::npos) << said;
  EXPECT_NE(said.find("HaloExchange(step.after(), transport)"), std::string::npos) << said;
  EXPECT_NE(refusal(2, 2, pushes(false, true)).find("'step' reads 'f' outside the blocks"),
            std::string::npos);
  EXPECT_EQ(refusal(2, 2, pushes(true, true)), "");
}

TEST(MissingExchange, IsNoneWhereNothingChangesOrSomebodyElseWrites) {
  EXPECT_EQ(refusal(2, 5,
                    [](TaskGraph& loop, Field<double>& f, Field<double>& g, heddle::Transport&) {
                      loop.add(
                          Sweep(f, {reads(f, 1), writes(g, 0)})); // f has been exchanged once and for all
                    }),
            "");
  EXPECT_EQ(refusal(2, 5,
                    [](TaskGraph& loop, Field<double>& f, Field<double>& g, heddle::Transport&) {
                      loop.add("by hand", {writes(f, heddle::FieldAccess::anywhere)}, [](heddle::Stream&) {});
                      loop.add(Sweep(f, {reads(f, 1), writes(g, 0)}));
                      loop.add(Sweep(f, {reads(g, 0), writes(f, 0)}));
                    }),
            "");
}

/// A boundary of two arrays of populations sets what comes in from outside of the domain: no rank owns that.
TEST(MissingExchange, IsNoneWhereASweepOverSomeCellsReachesOutOfTheDomain) {
  for (const bool exchanged : {true, false}) {
    const auto with_a_lid = [=](TaskGraph& loop, Field<double>& f, Field<double>& g,
                                heddle::Transport& transport) {
      if (exchanged) loop.add(exchange(f, Direction::owner_to_ghost, transport));
      loop.add(Sweep(f, {reads(f, 1), writes(g, 0)}));
      loop.add(heddle::RegionSweep("lid", f, f.grid().domain().layer(1, true), 1,
                                   [](int, const heddle::Box&, heddle::Stream&) {}));
    };
    const std::string said = refusal(2, 2, with_a_lid);
    EXPECT_EQ(said.empty(), exchanged) << said;
    EXPECT_EQ(said.find("'lid' "), std::string::npos) << said;
  }
}

} // namespace
