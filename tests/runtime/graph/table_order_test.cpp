// SPDX-License-Identifier: Apache-2.0
// Tables, profiles and lists of cells that sweeps take: tasks that write them are ordered before and after
// these sweeps as those that write fields are, without an order().
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/graph/sweep.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_view.hpp"
#include "heddle/grid/profile.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/link.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace {

using heddle::AccessMode;
using heddle::Buffer;
using heddle::Field;
using heddle::FieldAccess;
using heddle::Profile;
using heddle::Stream;
using heddle::TaskGraph;
using heddle::TaskGraphOptions;
using Order = std::vector<std::size_t>;
using Doubles = heddle::FieldView<double>;

constexpr std::int64_t edge = 6;

template <class Change> void in_each_cell(const Doubles& view, const Change& change) {
  for (std::int64_t z = 0; z < view.extent(2); ++z)
    for (std::int64_t y = 0; y < view.extent(1); ++y)
      for (std::int64_t x = 0; x < view.extent(0); ++x)
        change(view(x, y, z), z);
}

/// u = u + length, in parts: as it is emitted.
struct AddTable : heddle::SplitDenseSweep<AddTable, 3> {
  AddTable(Field<double>& u, const Buffer<double>& length)
      : AddTable::base("m::add", heddle::updates(u), heddle::values(length, "length")) {}
  static void host(const auto&... arguments) { compute(arguments...); }
  static void compute(const Doubles& u, const double* length) {
    in_each_cell(u, [&](double& value, auto) { value += length[0]; });
  }
};

/// v = factor height(z), with `factor` from memory.
struct Scale : heddle::DenseSweep<Scale, 3> {
  Scale(Field<double>& v, const Profile<double>& height, const Buffer<double>& factor)
      : Scale::base("m::scale", heddle::writes(v), heddle::profile(height, v, 2, 0, "height"),
                    heddle::values(factor, "factor")) {}
  static void host(const auto&... arguments) { compute(arguments...); }
  static void compute(const Doubles& v, const double* height, const double* factor) {
    in_each_cell(v, [&](double& value, std::int64_t z) { value = factor[0] * height[z]; });
  }
};

/// f = 1 in the cells of a list.
struct Mark : heddle::CellSweep<Mark> {
  Mark(heddle::SparseField<double>& f, const Buffer<std::uint32_t>& cells)
      : Mark::base("m::mark", heddle::writes(f), heddle::cells(cells)) {}
  static void host(const auto&... arguments) { compute(arguments...); }
  static void compute(const auto& f, const std::uint32_t* cells, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      f(cells[i], 0) = 1;
  }
};

/// The length of a step: 1, 2, 3, ... A task.
struct Clock {
  Buffer<double>* length;
  std::chrono::microseconds takes{0};

  [[nodiscard]] static std::string_view name() { return "clock"; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const {
    return {{length, "length", AccessMode::read}, {length, "length", AccessMode::write}};
  }
  void operator()(Stream&) const {
    std::this_thread::sleep_for(takes);
    length->data()[0] += 1;
  }
};

Profile<double> heights(double first) {
  std::vector<double> values;
  for (std::int64_t z = 0; z < edge; ++z)
    values.push_back(first + static_cast<double>(z));
  return {heddle::Box{{0, 0, 0}, {edge, edge, edge}}, 2, 0, std::span<const double>(values)};
}

class TableOrder : public testing::Test {
public:
  heddle::BlockGrid grid{{{0, 0, 0}, {edge, edge, edge}}};
  Field<double> u{grid, {.name = "u"}}, v{grid, {.name = "v"}};
  Buffer<double> length{1}, factor{1};
  Profile<double> height{heights(1)};
};

double value_of(const Field<double>& field, std::int64_t z = 0) {
  return field.view()(0, 0, z);
}

TEST_F(TableOrder, WritersComeBeforeAndAfterTheSweepsThatReadATable) {
  TaskGraph graph;
  const std::size_t clock = graph.add(Clock{&length});
  const std::size_t one = graph.add(AddTable(u, length)), other = graph.add(AddTable(v, length));
  const std::size_t next = graph.add(Clock{&length});
  EXPECT_EQ(graph.predecessors(one), Order{clock});
  EXPECT_EQ(graph.predecessors(other), Order{clock}) << "sweeps that read one table are independent";
  EXPECT_EQ(graph.predecessors(next), (Order{clock, one, other}));
  EXPECT_NE(graph.to_dot().find("m::add; reads u length; writes u"), std::string::npos) << graph.to_dot();
}

TEST_F(TableOrder, ProfilesAndListsOfCellsAreTables) {
  TaskGraph graph;
  const auto write = [&](const heddle::AccessedObject& object) {
    return graph.add("write", {{object, "it", AccessMode::write}}, [](Stream&) {});
  };
  const std::size_t profile = write(&height);
  const std::size_t scale = graph.add(Scale(v, height, factor));
  EXPECT_EQ(graph.predecessors(scale), Order{profile});
  EXPECT_EQ(graph.predecessors(write(&factor)), Order{scale});

  const std::vector<std::uint8_t> flags(static_cast<std::size_t>(grid.domain().volume()), 1);
  const std::array links{heddle::Link{0, {1, 0, 0}, 0}};
  const heddle::IndexList list(grid.domain(), flags, std::array<bool, 3>{}, links);
  heddle::SparseField<double> f(list, 1);
  Buffer<std::uint32_t> some(3);
  const std::size_t cells = write(&some);
  EXPECT_EQ(graph.predecessors(graph.add(Mark(f, some))), Order{cells});
}

TEST_F(TableOrder, PlansOfADeviceRunInAnyOrderThatTheyAllow) {
  // What a capture records: four iterations at once, interiors in tiles. The sum is 1 + 2 + ... + 9.
  for (const int tiles : {1, 3}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      u.fill([](auto...) { return 0.0; });
      v.fill([](auto...) { return 0.0; });
      length = Buffer<double>(1);
      heddle::Trace trace;
      TaskGraph graph({.unroll = 4, .trace = &trace, .interior_tiles = tiles, .shuffle = seed});
      graph.add(AddTable(v, length)); // of the step before
      graph.add(Clock{&length});
      graph.add(AddTable(u, length));
      graph.run(9);
      EXPECT_EQ(trace.spans().size(), 9U * (1 + 2 * static_cast<std::size_t>(tiles)));
      for (const std::int64_t z : {std::int64_t{0}, edge / 2, edge - 1}) {
        ASSERT_EQ(value_of(u, z), 45) << "seed " << seed << ", tiles " << tiles << ", level " << z;
        ASSERT_EQ(value_of(v, z), 36) << "seed " << seed << ", tiles " << tiles << ", level " << z;
      }
    }
  }
}

TEST_F(TableOrder, ThreadsWaitForATable) {
  TaskGraph graph({.threads = 2});
  graph.add(AddTable(v, length));
  graph.add(Clock{&length, std::chrono::microseconds(500)}); // the other thread could begin what follows
  graph.add(AddTable(u, length));
  graph.run(20);
  EXPECT_EQ(value_of(u), 210);
  EXPECT_EQ(value_of(v), 190);
}

TEST_F(TableOrder, ALaggedSweepHasTheTablesOfItsTrigger) {
  // In each iteration the factor and all heights grow by 1, as v = (1 + i) (2 + i + z) of iteration i would.
  std::vector<Profile<double>> all;
  for (int i = 0; i < 7; ++i)
    all.push_back(heights(2 + i));
  std::vector<double> seen;
  std::size_t iteration = 0;
  TaskGraph graph;
  const std::size_t task = graph.add(Scale(v, height, factor), {.every = 2, .lag = 1});
  graph.add("see", {{&v, "v", AccessMode::read}}, [&](Stream&) { seen.push_back(value_of(v, 1)); });
  graph.add("grow",
            {{&factor, "factor", AccessMode::read},
             {&factor, "factor", AccessMode::write},
             {&height, "height", AccessMode::write}},
            [&](Stream& stream) {
              factor.data()[0] += 1;
              height.copy_from(all[iteration++], stream);
            });
  factor.data()[0] = 1;
  graph.run(7);
  graph.finish();
  const auto at = [](int i) { return static_cast<double>((1 + i) * (2 + i)); }; // of level 1
  EXPECT_EQ(seen, (std::vector<double>{at(0), at(0), at(0), at(0), at(2), at(2), at(4)}));
  EXPECT_EQ(graph.lagged(task).synchronous, 1);
}

TEST_F(TableOrder, ProfilesOfOtherShapesAreNotCopied) {
  const std::vector<double> two(2);
  const Profile<double> other(heddle::Box{{0, 0, 0}, {1, 1, 2}}, 2, 0, std::span<const double>(two));
  Stream stream;
  std::string said;
  try {
    height.copy_from(other, stream);
  } catch (const heddle::Error& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("6 cells along axis 2 from 0, 0 ghosts, host, and 2 cells along axis 2"),
            std::string::npos)
      << said;
}

} // namespace
