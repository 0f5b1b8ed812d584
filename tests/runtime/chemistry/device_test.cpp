// SPDX-License-Identifier: Apache-2.0
// heddle::Chemistry with kernels for GPUs, on fields that stay where they lie: the bits of the CPU. Without
// CUDA the same text runs on the CPU (tests/emulation).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "../../support/messages.hpp"
#include "device_reactions.hpp"
#include "heddle/graph/task_graph.hpp"
#include "kernels.hpp"

namespace heddle {
namespace {

using namespace reaction_tests;

#if defined(HEDDLE_CHEMISTRY_ON_DEVICE)
constexpr Memory memory = Memory::device;
#else
constexpr Memory memory = Memory::host;
#endif

Chemistry::IntegrateBlock with_rates(auto kernel) {
  return [kernel](const CellBlock& b, Stream& stream) {
    kernel(b.concentration, b.temperature, b.pressure, b.rate_input, b.step, b.outcome, b.steps,
           b.absolute_tolerance, b.interval, b.relative_tolerance, stream.native());
  };
}
Chemistry::IntegrateBlock without_rates(auto kernel) {
  return [kernel](const CellBlock& b, Stream& stream) {
    kernel(b.concentration, b.temperature, b.pressure, b.step, b.outcome, b.steps, b.absolute_tolerance,
           b.interval, b.relative_tolerance, stream.native());
  };
}
const auto warp = with_rates([](const auto&... a) { device_reactions::ozone_cuda(a...); });
const auto two = with_rates([](const auto&... a) { device_reactions::ozone_two_cuda(a...); });
const auto block = with_rates([](const auto&... a) { device_reactions::ozone_block_cuda(a...); });
const auto thread = with_rates([](const auto&... a) { device_reactions::ozone_thread_cuda(a...); });
const auto lonely = without_rates([](const auto&... a) { device_reactions::robertson_cuda(a...); });
const auto hurried = without_rates([](const auto&... a) { device_reactions::hurried_cuda(a...); });

struct Air {
  Air(const ChemicalMechanism& mechanism, const BlockGrid& grid, Memory where, bool together = false)
      : concentration(grid, options(mechanism.species.size(), where, together)),
        temperature(grid, options(1, where, false)), pressure(grid, options(1, where, false)) {
    if (!mechanism.inputs.empty())
      rates = std::make_unique<Field<double>>(grid, options(mechanism.inputs.size(), where, false));
    pressure.fill(101325.0);
  }
  static FieldOptions options(std::size_t components, Memory where, bool together) {
    return {.components = static_cast<int>(components),
            .ghost_layers = 0,
            .memory = where,
            .name = "values",
            .cells_together = together};
  }
  [[nodiscard]] ChemistryFields fields() { return {concentration, temperature, pressure, rates.get()}; }

  Field<double> concentration, temperature, pressure;
  std::unique_ptr<Field<double>> rates;
};

/// Concentrations, remembered steps and attempts after each of four calls: some cells wake up in the third.
template <class Integrate>
std::vector<double> states(const BlockGrid& grid, Memory where, const Integrate& integrate,
                           bool together = false, double sort_below = 0) {
  Air air(ozone(), grid, where, together);
  const auto number = [](std::int64_t x, std::int64_t y, std::int64_t z) { return x + 7 * y + 21 * z; };
  air.concentration.fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
    const auto n = static_cast<double>(number(x, y, z));
    return c == 1 ? 2e-6 * (1 + 0.1 * n) : c == 2 ? 4e-9 * (1 + n) : c == 3 ? 4e-8 : 0.0;
  });
  air.temperature.fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int) {
    return 220 + static_cast<double>(number(x, y, z));
  });
  Chemistry chemistry(ozone(), integrate, air.fields(),
                      {.interval = 120, .relative_tolerance = 1e-4, .sort_below = sort_below});
  TaskGraph graph({.memory = where});
  graph.add(chemistry);
  std::vector<double> found;
  for (int call = 0; call < 4; ++call) {
    air.rates->fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
      const std::int64_t n = number(x, y, z);
      const double sun = n % 5 == 0 && call < 2 ? 0 : 0.5 + 0.01 * static_cast<double>(n);
      return q == 0 ? 5e-3 * sun : q == 1 ? 3e-4 * sun : (n % 7 == 0 ? 1e-10 : 0);
    });
    graph.run();
    const auto add = [&](const auto& values) { found.insert(found.end(), values.begin(), values.end()); };
    for (int b = 0; b < air.concentration.blocks(); ++b) {
      for (int c = 0; c < 4; ++c)
        add(air.concentration.read(b, c));
      add(chemistry.step().read(b));
      add(chemistry.steps().read(b));
    }
    found.push_back(static_cast<double>(chemistry.report().attempts));
    found.push_back(static_cast<double>(chemistry.report().most_attempts));
  }
  return found;
}

const Chemistry::Integrate on_cpu = [](const CellBatch& batch) { integrate_ozone(batch); };

void expect_same(const std::vector<double>& found, const std::vector<double>& wanted, const char* what) {
  ASSERT_EQ(found.size(), wanted.size()) << what;
  for (std::size_t n = 0; n < found.size(); ++n)
    ASSERT_EQ(std::memcmp(&found[n], &wanted[n], sizeof(double)), 0)
        << what << ", number " << n << ": " << found[n] << " and " << wanted[n];
}

TEST(ChemistryOnDevice, HasTheBitsOfTheCpu) {
  // One cell, incomplete groups and warps, several rows and blocks.
  for (const Box& box : {Box{{0, 0, 0}, {1, 1, 1}}, Box{{0, 0, 0}, {3, 1, 1}}, Box{{0, 0, 0}, {29, 1, 1}},
                         Box{{0, 0, 0}, {7, 3, 2}}}) {
    const BlockGrid grid(box);
    const std::vector<double> wanted = states(grid, Memory::host, on_cpu);
    expect_same(states(grid, memory, warp), wanted, "a warp for four cells");
    expect_same(states(grid, memory, two), wanted, "a warp for two cells");
    expect_same(states(grid, memory, block), wanted, "two warps for eight cells");
    expect_same(states(grid, memory, thread), wanted, "a thread per cell");
  }
  const BlockGrid blocks(Box{{0, 0, 0}, {24, 1, 2}}, {2, 1, 1});
  expect_same(states(blocks, memory, warp, true), states(blocks, Memory::host, on_cpu),
              "two blocks, species of a cell side by side");
}

TEST(ChemistryOnDevice, SortedCellsHaveTheSameBits) {
  for (const bool together : {false, true}) {
    const BlockGrid blocks(Box{{0, 0, 0}, {25, 3, 2}}, {2, 1, 1}); // the second block is larger, or smaller
    expect_same(states(blocks, memory, thread, together, 1), states(blocks, Memory::host, on_cpu),
                "copies in the order of their attempts");
  }
}

/// Every second cell begins far from its equilibrium; behind the first call cells lie with their like.
TEST(ChemistryOnDevice, SortedCellsKeepLanesBusy) {
  const auto share = [](double sort_below) {
    Air air(robertson(), BlockGrid(Box{{0, 0, 0}, {64, 2, 1}}), memory);
    air.temperature.fill(298.0);
    Chemistry chemistry(robertson(),
                        without_rates([](const auto&... a) { device_reactions::each_thread_cuda(a...); }),
                        air.fields(), {.interval = 1, .sort_below = sort_below});
    Stream stream(memory);
    std::vector<double> found;
    for (int call = 0; call < 2; ++call) {
      air.concentration.fill([&](std::int64_t x, std::int64_t, std::int64_t, int c) {
        return c == 0 ? 1.0 : c == 1 && x % 2 == 0 ? 1e-2 : 0.0;
      });
      chemistry.step().fill(0.0);
      chemistry(stream);
      found.push_back(chemistry.report().lanes.share());
    }
    EXPECT_EQ(found[0] == found[1], sort_below == 0) << "the first call has cells as they lie";
    return found[1];
  };
  EXPECT_LT(share(0), 0.95);
  EXPECT_EQ(share(0.95), 1);
}

/// An eighth of the cells begins far from its equilibrium. In the second call the sun sets over every second
/// cell, which until then was like the others: those lie together, too.
TEST(ChemistryOnDevice, CellsWhoseLightChangesLieTogether) {
  Air air(ozone(), BlockGrid(Box{{0, 0, 0}, {128, 2, 1}}), memory);
  air.concentration.fill([](std::int64_t x, std::int64_t, std::int64_t, int c) {
    return c == 1 ? 2e-6 : c == 2 ? 4e-9 : c == 3 ? (x % 8 == 0 ? 4e-6 : 4e-8) : 0.0;
  });
  air.temperature.fill(298.0);
  Chemistry chemistry(ozone(), thread, air.fields(), {.relative_tolerance = 1e-6, .sort_below = 1});
  Stream stream(memory);
  double share[2];
  for (int call = 0; call < 2; ++call) {
    air.rates->fill([&](std::int64_t x, std::int64_t, std::int64_t, int q) {
      return call == 1 && x % 2 == 1 ? 0 : q == 0 ? 5e-3 : q == 1 ? 3e-4 : 0;
    });
    chemistry(stream);
    share[call] = chemistry.report().lanes.share();
  }
  const std::vector<std::int64_t> attempts = chemistry.steps().read(0);
  EXPECT_NE(attempts[1], attempts[2]) << "the sunset has to cost attempts";
  EXPECT_LT(share[0], 1) << "the first call has cells as they lie";
  EXPECT_EQ(share[1], 1);
}

/// Incomplete blocks, and cells that begin where others end: with 16 at once of 100 that a block owns.
TEST(ChemistryOnDevice, ManyCellsOfABlockTakeTheirTurns) {
  const auto many = without_rates([](const auto&... a) { device_reactions::robertson_block_cuda(a...); });
  const auto found = [](Memory where, const auto& integrate) {
    Air air(robertson(), BlockGrid(Box{{0, 0, 0}, {123, 1, 1}}), where);
    air.concentration.fill([](std::int64_t x, std::int64_t, std::int64_t, int c) {
      return c == 0 ? (x % 7 == 0 ? 3.0 : 1.0) : c == 1 && x % 5 == 0 ? 1e-3 : 0.0;
    });
    air.temperature.fill(298.0);
    Chemistry chemistry(robertson(), integrate, air.fields(), {.interval = 10, .absolute_tolerance = 1e-9});
    Stream stream(where);
    chemistry(stream);
    std::vector<double> values;
    for (int c = 0; c < 3; ++c)
      for (const double value : air.concentration.read(0, c))
        values.push_back(value);
    for (const std::int64_t steps : chemistry.steps().read(0))
      values.push_back(static_cast<double>(steps));
    return values;
  };
  const std::vector<double> wanted =
      found(Memory::host, Chemistry::Integrate([](const CellBatch& b) { integrate_robertson(b); }));
  EXPECT_GT(std::ranges::max(std::span(wanted).last(123)), std::ranges::min(std::span(wanted).last(123)));
  expect_same(found(memory, many), wanted, "four warps for 16 cells");
}

/// Published values at t = 40 s (SUNDIALS, example cvRoberts_dns).
TEST(ChemistryOnDevice, SolvesTheProblemOfRobertson) {
  Air air(robertson(), BlockGrid(Box{{0, 0, 0}, {5, 1, 1}}), memory);
  air.concentration.fill([](std::int64_t, std::int64_t, std::int64_t, int c) { return c == 0 ? 1.0 : 0.0; });
  air.temperature.fill(298.0);
  Chemistry chemistry(robertson(), lonely, air.fields(),
                      {.interval = 40, .relative_tolerance = 1e-6, .absolute_tolerance = 1e-14});
  Stream stream(memory);
  chemistry(stream);
  const double wanted[] = {7.1582e-01, 9.1851e-06, 2.8417e-01};
  for (int c = 0; c < 3; ++c)
    for (const double value : air.concentration.read(0, c))
      EXPECT_NEAR(value, wanted[c], 2e-4 * wanted[c]);
  EXPECT_EQ(chemistry.report().cells, 5);
  EXPECT_TRUE(std::isnan(chemistry.report().lowest_concentration));
}

TEST(ChemistryOnDevice, TakesATolerancePerSpecies) {
  const auto found = [](Memory where, const auto& integrate) {
    Air air(robertson(), BlockGrid(Box{{0, 0, 0}, {5, 1, 1}}), where);
    air.concentration.fill([](std::int64_t x, std::int64_t, std::int64_t, int c) {
      return c == 0 ? 1.0 + 0.1 * static_cast<double>(x) : 0.0;
    });
    air.temperature.fill(298.0);
    Chemistry chemistry(robertson(), integrate, air.fields(),
                        {.interval = 20, .absolute_tolerances = {1e-3, 1e-10, 1e-4}});
    Stream stream(where);
    std::vector<double> values;
    for (int call = 0; call < 2; ++call) {
      chemistry(stream);
      for (int c = 0; c < 3; ++c)
        for (const double value : air.concentration.read(0, c))
          values.push_back(value);
      for (const std::int64_t steps : chemistry.steps().read(0))
        values.push_back(static_cast<double>(steps));
      chemistry.options.absolute_tolerances[1] = 1e-12; // in the second call
    }
    return values;
  };
  const std::vector<double> wanted =
      found(Memory::host, Chemistry::Integrate([](const CellBatch& b) { integrate_each(b); }));
  expect_same(found(memory, without_rates([](const auto&... a) { device_reactions::each_warp_cuda(a...); })),
              wanted, "a warp for four cells");
  expect_same(
      found(memory, without_rates([](const auto&... a) { device_reactions::each_thread_cuda(a...); })),
      wanted, "a thread per cell");
}

TEST(ChemistryOnDevice, CellsThatFailSaySo) {
  Air air(robertson(), BlockGrid(Box{{10, 0, 0}, {50, 1, 1}}), memory);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  air.concentration.fill([&](std::int64_t x, std::int64_t, std::int64_t, int c) {
    return x == 14 && c == 1 ? nan : c == 0 ? 1.0 : 0.0;
  });
  air.temperature.fill(
      [](std::int64_t x, std::int64_t, std::int64_t, int) { return x == 12 ? -5.0 : 298.0; });
  Chemistry chemistry(robertson(), hurried, air.fields(), {.interval = 4e4, .stop_on_failure = false});
  Stream stream(memory);
  chemistry(stream);
  ASSERT_EQ(chemistry.failures().size(), 40U);
  EXPECT_EQ(chemistry.report().attempts, 38 * 3);
  for (const CellFailure& failure : chemistry.failures()) {
    const std::int64_t x = failure.cell[0];
    EXPECT_EQ(failure.outcome, x == 12 || x == 14 ? 3 : 1) << x;
    EXPECT_EQ(failure.concentration.size(), 3U);
    if (x == 14) continue;
    EXPECT_NEAR(failure.concentration[0] + failure.concentration[1] + failure.concentration[2], 1, 1e-12);
  }
  chemistry.options.stop_on_failure = true;
  const std::string message = test::error_of([&] { chemistry(stream); });
  EXPECT_TRUE(test::contains(message, "40 cells could not be integrated")) << message;
  EXPECT_TRUE(test::contains(message, "cell (10, 0, 0): max_steps of the kernel did not do")) << message;
}

TEST(ChemistryOnDevice, SaysWhatIsWrong) {
  Air air(robertson(), BlockGrid(Box{{0, 0, 0}, {2, 1, 1}}), memory);
  const auto message = [&](auto integrate) {
    return test::error_of([&] { const Chemistry chemistry(robertson(), integrate, air.fields()); });
  };
  EXPECT_TRUE(test::contains(message(Chemistry::IntegrateBlock()), "pass a function of a CellBlock"));
  if (memory == Memory::device) {
    EXPECT_TRUE(test::contains(message(Chemistry::Integrate(integrate_robertson)), "is on a device"));
  }
}

} // namespace
} // namespace heddle
