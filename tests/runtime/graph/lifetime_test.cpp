// SPDX-License-Identifier: Apache-2.0
// A graph whose tasks or fields have ended is refused.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../support/packing.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/graph/sweep.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/profile.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/link.hpp"
#include "heddle/sparse/sparse_field.hpp"

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
  EXPECT_NE(refusal().find("'v', which task 'm::copy' of graph 'loop' accesses, has ended"),
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

/// A sweep with a profile, a buffer of values and a result.
struct Sum : heddle::DenseSweep<Sum, 3> {
  Sum(Field<double>& u, const heddle::Profile<double>& heights, const heddle::Buffer<double>& table,
      heddle::Buffer<double>& total)
      : Sum::base("m::sum", heddle::reads(u), heddle::profile(heights, u, 2, 0, "heights"),
                  heddle::values(table, "table"), heddle::reduces(total, "total", u, {0, 1, 2})) {}
  static void host(const auto&...) {}
};

TEST_F(Lifetimes, ProfilesBuffersAndResultsThatHaveEndedAreRefused) {
  const std::vector<double> four(4, 1.0);
  const auto heights = [&] { return heddle::Profile<double>(grid.domain(), 2, 0, std::span(four)); };
  std::optional<heddle::Profile<double>> h(heights());
  std::optional<heddle::Buffer<double>> table(std::in_place, 4), total(std::in_place, 1);
  const auto build = [&] {
    graph = TaskGraph({.name = "loop"});
    graph.add(Sum(u, *h, *table, *total));
  };
  build();
  EXPECT_EQ(refusal(), "");
  h = heights(); // another value in the same place
  EXPECT_EQ(refusal(), "");
  h.reset();
  h.emplace(heights());
  EXPECT_NE(refusal().find("'heights', which task 'm::sum' of graph 'loop' accesses, has ended"),
            std::string::npos);
  build();
  EXPECT_EQ(refusal(), "");
  table.emplace(4);
  EXPECT_NE(refusal().find("'table', which task 'm::sum' of graph 'loop' accesses, has ended"),
            std::string::npos);
  build();
  total.emplace(1);
  EXPECT_NE(refusal().find("'total', which task 'm::sum' of graph 'loop' accesses, has ended"),
            std::string::npos);
}

struct Walk : heddle::RangeSweep<Walk> {
  Walk(heddle::SparseField<double>& f, const heddle::IndexList& list)
      : Walk::base("m::walk", heddle::updates(f), list.all()) {}
  static void host(const auto&...) {}
};

TEST_F(Lifetimes, AListThatHasEndedIsRefused) {
  const std::vector<std::uint8_t> flags(64, 1);
  const std::array links{heddle::Link{0, {1, 0, 0}, 0}};
  auto list = std::make_unique<heddle::IndexList>(grid.domain(), flags, std::array<bool, 3>{}, links);
  heddle::SparseField<double> f(*list, 1);
  graph.add(Walk(f, *list));
  EXPECT_EQ(refusal(), "");
  list.reset();
  EXPECT_NE(refusal().find("a list of cells that task 'm::walk' of graph 'loop' uses has ended"),
            std::string::npos);
}

} // namespace
