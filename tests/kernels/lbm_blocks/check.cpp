// SPDX-License-Identifier: Apache-2.0
// Many blocks equal one block bit for bit: exchanges from the sweeps' own footprints, in a TaskGraph, with
// ghost cells that nobody filled made NaN before each sweep.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "heddle/block_grid.hpp"
#include "heddle/field.hpp"
#include "heddle/field_access.hpp"
#include "heddle/local_exchange.hpp"
#include "heddle/stream.hpp"
#include "heddle/task_graph.hpp"
#include "lbm_blocks_sweeps.hpp"

namespace {

using heddle::AccessMode;
using heddle::ExchangePhase;
using Field = heddle::Field<double>;

constexpr double omega = 1.6;
constexpr std::array<std::int64_t, 3> extent{9, 8, 7};

/// Makes the ghost cells of a field NaN.
class Poison {
public:
  explicit Poison(Field& field) : field_(&field) {}
  std::string_view name() const { return "poison"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", AccessMode::write}}; }
  void operator()(heddle::Stream&) const { field_->fill_ghosts(std::numeric_limits<double>::quiet_NaN()); }

private:
  Field* field_;
};

double start(std::int64_t x, std::int64_t y, std::int64_t z, int q) {
  return 1e-3 * std::sin(static_cast<double>(1 + x + 11 * y + 113 * z + 1009 * q));
}

Field field(const heddle::BlockGrid& grid) {
  Field f(grid, {.components = 19, .ghost_layers = 1});
  f.fill([](std::int64_t x, std::int64_t y, std::int64_t z, int q) { return start(x, y, z, q); });
  return f;
}

template <class Sweep> void add_in_place(heddle::TaskGraph& graph, Field& f, const Sweep& sweep) {
  const std::vector<heddle::SlotOffset> reads = Sweep::ghost_reads();
  const std::vector<heddle::SlotOffset> writes = Sweep::ghost_writes();
  graph.add(Poison(f));
  graph.add(heddle::LocalExchange(f, reads, ExchangePhase::before));
  graph.add(Sweep(sweep));
  graph.add(heddle::LocalExchange(f, writes, ExchangePhase::after));
}

template <class Even, class Odd> Field in_place(const heddle::BlockGrid& grid, int pairs) {
  Field f = field(grid);
  heddle::TaskGraph graph;
  add_in_place(graph, f, Even(f, {.omega = omega}));
  add_in_place(graph, f, Odd(f, {.omega = omega}));
  graph.run(pairs);
  return f;
}

Field two_arrays(const heddle::BlockGrid& grid, int pairs) {
  Field f = field(grid);
  Field f_next(grid, {.components = 19, .ghost_layers = 1, .name = "f_next"});
  heddle::TaskGraph graph;
  const auto step = [&](Field& from, Field& to) {
    graph.add(Poison(from));
    graph.add(heddle::LocalExchange(from, lbm_blocks::Pull<double>::ghost_reads(), ExchangePhase::before));
    graph.add(lbm_blocks::Pull<double>(from, to, {.omega = omega}));
  };
  step(f, f_next);
  step(f_next, f);
  graph.run(pairs);
  return f;
}

/// All interior values, in the order of the domain.
std::vector<double> values(const Field& f) {
  std::vector<double> result(static_cast<std::size_t>(extent[0] * extent[1] * extent[2] * 19));
  for (int b = 0; b < f.blocks(); ++b) {
    const heddle::Box& box = f.grid().block(b);
    for (int q = 0; q < 19; ++q) {
      const std::vector<double> block = f.read(b, q);
      std::size_t i = 0;
      for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
          for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x) {
            const std::int64_t position = x + extent[0] * (y + extent[1] * (z + extent[2] * q));
            result[static_cast<std::size_t>(position)] = block[i++];
          }
        }
      }
    }
  }
  return result;
}

template <class Run> void expect_equal_on_any_grid(Run&& run) {
  const heddle::Box domain{{0, 0, 0}, extent};
  const std::array<bool, 3> periodic{true, true, true};
  const std::vector<double> whole = values(run(heddle::BlockGrid(domain, {1, 1, 1}, periodic), 3));
  for (const double value : whole)
    ASSERT_TRUE(std::isfinite(value));
  for (const std::array<int, 3>& blocks :
       {std::array{2, 1, 1}, std::array{1, 3, 1}, std::array{2, 2, 2}, std::array{3, 2, 4}}) {
    EXPECT_EQ(values(run(heddle::BlockGrid(domain, blocks, periodic), 3)), whole) << blocks[0] << blocks[1];
  }
}

TEST(Blocks, PullEqualsOneBlock) {
  expect_equal_on_any_grid(two_arrays);
}

TEST(Blocks, AaEqualsOneBlock) {
  expect_equal_on_any_grid(in_place<lbm_blocks::AaEven<double>, lbm_blocks::AaOdd<double>>);
}

TEST(Blocks, EsoTwistEqualsOneBlock) {
  expect_equal_on_any_grid(in_place<lbm_blocks::TwistEven<double>, lbm_blocks::TwistOdd<double>>);
}

TEST(Blocks, EsoPullEqualsOneBlock) {
  expect_equal_on_any_grid(in_place<lbm_blocks::EsoPullEven<double>, lbm_blocks::EsoPullOdd<double>>);
}

TEST(Blocks, InPlacePatternsExchangeEachSlotOnceOnItsSide) {
  // lbm.md, section 5: AA exchanges around the odd step only; EsoTwist touches ghosts on the + sides only.
  EXPECT_TRUE(lbm_blocks::AaEven<double>::ghost_reads().empty());
  EXPECT_TRUE(lbm_blocks::AaEven<double>::ghost_writes().empty());
  EXPECT_EQ(lbm_blocks::AaOdd<double>::ghost_reads().size(), 18U);
  EXPECT_EQ(lbm_blocks::AaOdd<double>::ghost_writes().size(), 18U);
  int across_x = 0;
  for (const heddle::SlotOffset& entry : lbm_blocks::TwistEven<double>::ghost_writes()) {
    for (const int component : entry.offset)
      EXPECT_GE(component, 0);
    across_x += entry.offset[0];
  }
  EXPECT_EQ(across_x, 5);
}

} // namespace
