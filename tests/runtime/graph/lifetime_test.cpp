// SPDX-License-Identifier: Apache-2.0
// A graph whose tasks or fields have ended is refused.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../support/packing.hpp"
#include "heddle/core/error.hpp"
#include "heddle/graph/sweep.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"

namespace {

using heddle::Field;
using heddle::TaskGraph;

struct Copy : heddle::DenseSweep<Copy, 3> {
  Copy(Field<double>& u, Field<double>& v) : Copy::base("m::copy", heddle::reads(u), heddle::writes(v)) {}
  static void host(const auto&...) {}
};

class Lifetimes : public testing::Test {
public:
  std::string refusal() {
    try {
      graph.run();
    } catch (const heddle::Error& error) {
      return error.what();
    }
    return "";
  }
  heddle::BlockGrid grid{{{0, 0, 0}, {4, 4, 4}}};
  Field<double> u{grid, {.name = "u"}};
  std::optional<Field<double>> v{std::in_place, grid, heddle::FieldOptions{.name = "v"}};
  TaskGraph graph{{.name = "loop"}};
};

TEST_F(Lifetimes, ASweepThatHasEndedIsRefused) {
  {
    Copy sweep(u, *v);
    graph.add(sweep);
    EXPECT_EQ(refusal(), "");
  }
  const std::string said = refusal();
  EXPECT_NE(said.find("task 'm::copy' of graph 'loop' has ended: the graph keeps what has a name by "
                      "reference"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("graph.add(std::move(task))"), std::string::npos) << said;
}

TEST_F(Lifetimes, ASweepThatAVectorHasMovedIsRefused) {
  std::vector<Copy> sweeps;
  sweeps.reserve(1);
  sweeps.emplace_back(u, *v);
  graph.add(sweeps.back());
  sweeps.reserve(sweeps.capacity() + 1);
  EXPECT_NE(refusal().find("'m::copy' of graph 'loop' has ended"), std::string::npos);
}

TEST_F(Lifetimes, ASweepThatWasHandedOverLivesWithTheGraph) {
  {
    Copy sweep(u, *v);
    graph.add(std::move(sweep));
    graph.add(Copy(u, *v));
  }
  EXPECT_EQ(refusal(), "");
  const TaskGraph moved = std::move(graph);
  EXPECT_EQ(moved.size(), 2U);
}

TEST_F(Lifetimes, AFieldThatHasEndedIsRefused) {
  graph.add(Copy(u, *v));
  std::swap(u, *v);
  EXPECT_EQ(refusal(), "") << "both are still there";
  v.emplace(grid, heddle::FieldOptions{.name = "another"});
  EXPECT_NE(refusal().find("field 'v', which task 'm::copy' of graph 'loop' accesses, has ended"),
            std::string::npos);
}

TEST_F(Lifetimes, ExchangesAndGraphsThatHaveEndedAreRefused) {
  {
    const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(1, {1, 1, 1});
    heddle::HaloExchange halo(packing::exchange(u, shell, heddle::Direction::owner_to_ghost, "halo of u"));
    graph.add(halo);
  }
  EXPECT_NE(refusal().find("task 'halo of u' of graph 'loop' has ended"), std::string::npos);
  graph = TaskGraph({.name = "outer"});
  auto inner = std::make_unique<TaskGraph>(heddle::TaskGraphOptions{.name = "inner"});
  graph.add(*inner);
  EXPECT_EQ(refusal(), "");
  inner.reset();
  EXPECT_NE(refusal().find("task 'inner' of graph 'outer' has ended"), std::string::npos);
}

} // namespace
