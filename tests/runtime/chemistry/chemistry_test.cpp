// SPDX-License-Identifier: Apache-2.0
// heddle::Chemistry: results, the same bits however cells lie and are shared out, and cells that fail.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../../support/messages.hpp"
#include "heddle/chemistry/chemistry.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/transport/thread_group.hpp"
#include "kernels.hpp"

namespace heddle {
namespace {

using namespace reaction_tests;

/// Fields of a mechanism on a grid, air at 298.15 K and 101325 Pa.
struct Air {
  explicit Air(const ChemicalMechanism& mechanism, const BlockGrid& grid, FieldOptions options = {}) {
    options.ghost_layers = 0;
    options.components = static_cast<int>(mechanism.species.size());
    concentration = std::make_unique<Field<double>>(grid, options);
    options.components = 1;
    options.cells_together = false;
    temperature = std::make_unique<Field<double>>(grid, options);
    pressure = std::make_unique<Field<double>>(grid, options);
    temperature->fill(298.15);
    pressure->fill(101325.0);
    if (mechanism.inputs.empty()) return;
    options.components = static_cast<int>(mechanism.inputs.size());
    rates = std::make_unique<Field<double>>(grid, options);
  }
  [[nodiscard]] ChemistryFields fields() const {
    return {*concentration, *temperature, *pressure, rates.get()};
  }

  std::unique_ptr<Field<double>> concentration, temperature, pressure, rates;
};

/// The Robertson problem: published values at t = 0.4, 40 and 4000 s (SUNDIALS, example cvRoberts_dns).
TEST(Chemistry, SolvesTheProblemOfRobertson) {
  const Air air(robertson(), BlockGrid(Box{{0, 0, 0}, {3, 1, 1}}));
  air.concentration->fill([](std::int64_t, std::int64_t, std::int64_t, int c) { return c == 0 ? 1.0 : 0.0; });
  Chemistry chemistry(robertson(), integrate_robertson, air.fields(),
                      {.interval = 0.4, .relative_tolerance = 1e-7, .absolute_tolerance = 1e-14});
  Stream stream;
  double time = 0;
  for (const auto& [end, wanted] :
       std::map<double, std::array<double, 3>>{{0.4, {9.8517e-01, 3.3864e-05, 1.4794e-02}},
                                               {40, {7.1582e-01, 9.1851e-06, 2.8417e-01}},
                                               {4000, {1.8320e-01, 8.9423e-07, 8.1680e-01}}}) {
    chemistry.options.interval = end - time;
    chemistry(stream);
    time = end;
    for (int c = 0; c < 3; ++c)
      for (const double value : air.concentration->read(0, c))
        EXPECT_NEAR(value, wanted[static_cast<std::size_t>(c)], 2e-4 * wanted[static_cast<std::size_t>(c)])
            << end;
    double sum = 0;
    for (int c = 0; c < 3; ++c)
      sum += air.concentration->read(0, c)[1];
    EXPECT_NEAR(sum, 1, 1e-13);
  }
  EXPECT_EQ(chemistry.report().cells, 3);
  EXPECT_GT(chemistry.report().attempts, 30);
  EXPECT_EQ(chemistry.report().attempts, 3 * chemistry.report().most_attempts);
  EXPECT_TRUE(chemistry.failures().empty());
}

constexpr std::int64_t cells = 61;

/// Sun and emission of a cell, some with a sharp change in the third call.
double rate(std::int64_t n, int q, int call) {
  const double sun = n % 5 == 0 && call < 3 ? 0 : 0.5 + 0.01 * static_cast<double>(n);
  return q == 0 ? 5e-3 * sun : q == 1 ? 3e-4 * sun : (n % 7 == 0 ? 1e-10 : 0);
}

/// What a cell holds after some calls: concentrations and remembered step.
using State = std::array<double, 5>;

/// numbers: of the cell at x, y, z. Runs on one rank of many; adds what its cells hold.
template <class Number>
void run(const BlockGrid& grid, const FieldOptions& layout, Transport* transport, double imbalance,
         Number&& number, std::map<std::int64_t, State>& found, std::int64_t* lent = nullptr) {
  FieldOptions options = layout;
  options.rank = transport != nullptr ? transport->rank() : 0;
  const Air air(ozone(), grid, options);
  air.concentration->fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
    const double n = static_cast<double>(number(x, y, z));
    return c == 1 ? 2e-6 * (1 + 0.1 * n) : c == 2 ? 4e-9 * (1 + n) : c == 3 ? 4e-8 : 0.0;
  });
  air.temperature->fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int) {
    return 220 + static_cast<double>(number(x, y, z));
  });
  Chemistry chemistry(ozone(), integrate_ozone, air.fields(), {.interval = 120, .imbalance = imbalance},
                      transport);
  TaskGraph graph;
  graph.add(chemistry);
  for (int call = 0; call < 5; ++call) {
    air.rates->fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int q) {
      return rate(number(x, y, z), q, call);
    });
    graph.run();
    if (lent != nullptr) *lent += chemistry.report().lent;
  }
  for (int b = 0; b < air.concentration->blocks(); ++b) {
    const Box& box = air.concentration->box(b);
    const auto view = air.concentration->view(b);
    for (std::int64_t z = 0; z < view.extent(2); ++z)
      for (std::int64_t y = 0; y < view.extent(1); ++y)
        for (std::int64_t x = 0; x < view.extent(0); ++x)
          found[number(x + box.lower[0], y + box.lower[1], z + box.lower[2])] = {
              view(x, y, z, 0), view(x, y, z, 1), view(x, y, z, 2), view(x, y, z, 3),
              chemistry.step().view(b)(x, y, z)};
  }
}

std::int64_t along_x(std::int64_t x, std::int64_t, std::int64_t) {
  return x;
}

const BlockGrid row(Box{{0, 0, 0}, {cells, 1, 1}});

const std::map<std::int64_t, State>& one_rank() {
  static const std::map<std::int64_t, State> states = [] {
    std::map<std::int64_t, State> found;
    run(row, {}, nullptr, 1.1, along_x, found);
    return found;
  }();
  return states;
}

void expect_same(const std::map<std::int64_t, State>& found, const char* what) {
  ASSERT_EQ(found.size(), one_rank().size()) << what;
  for (const auto& [n, state] : one_rank())
    EXPECT_EQ(std::memcmp(state.data(), found.at(n).data(), sizeof state), 0) << what << ", cell " << n;
}

TEST(Chemistry, SameBitsWhateverTheOrderLayoutAndThreads) {
  EXPECT_GT(one_rank().at(1)[1], 1e-7);
  std::map<std::int64_t, State> found;
  run(row, {}, nullptr, 1.1, [](std::int64_t x, std::int64_t, std::int64_t) { return cells - 1 - x; }, found);
  expect_same(found, "reversed");
  found.clear();
  run(row, {.cells_together = true}, nullptr, 1.1, along_x, found);
  expect_same(found, "cells together");
  found.clear();
  const BlockGrid column(Box{{0, 0, 0}, {1, 1, cells}}, {1, 1, 4});
  run(column, {}, nullptr, 1.1, [](std::int64_t, std::int64_t, std::int64_t z) { return z; }, found);
  expect_same(found, "column of four blocks");
  found.clear();
  const ThreadLimit limit(1);
  run(row, {}, nullptr, 1.1, along_x, found);
  expect_same(found, "one thread");
}

TEST(Chemistry, SameBitsWhateverTheRanks) {
  for (const double imbalance : {1.0, std::numeric_limits<double>::infinity()}) {
    const BlockGrid grid(Box{{0, 0, 0}, {cells, 1, 1}}, {6, 1, 1}, {false, false, false}, 3);
    std::array<std::map<std::int64_t, State>, 3> parts;
    std::array<std::int64_t, 3> lent{};
    ThreadGroup(3).run([&](Transport& transport) {
      const auto rank = static_cast<std::size_t>(transport.rank());
      run(grid, {}, &transport, imbalance, along_x, parts[rank], &lent[rank]);
    });
    std::map<std::int64_t, State> found;
    for (const auto& part : parts)
      found.insert(part.begin(), part.end());
    expect_same(found, "three ranks");
    EXPECT_EQ(lent[0] + lent[1] + lent[2] > 0, imbalance == 1.0);
  }
}

/// What lanes do with their time, of cells whose attempts are known: 1, or 9 of each eighth one. In the
/// second call the cells are sorted by those of the first.
TEST(Chemistry, ReportsTheUseOfLanes) {
  const BlockGrid grid(Box{{0, 0, 0}, {32, 1, 1}});
  const Air air(ozone(), grid, {});
  air.temperature->fill(
      [](std::int64_t x, std::int64_t, std::int64_t, int) { return x % 8 == 1 ? 300.0 : 250.0; });
  Chemistry chemistry(ozone(),
                      [](const CellBatch& b) {
                        for (std::int64_t n = 0; n < b.temperature.extent(0); ++n) {
                          b.steps(n) = b.temperature(n) > 270 ? 9 : 1;
                          b.outcome(n) = 0;
                        }
                      },
                      air.fields(), {});
  Stream stream;
  chemistry(stream);
  EXPECT_EQ(chemistry.report().lanes.attempts, 4 * 9 + 28);
  EXPECT_EQ(chemistry.report().lanes.room, 4 * 8 * 9);
  chemistry(stream);
  EXPECT_EQ(chemistry.report().lanes.room, 8 * 9 + 24);
  EXPECT_EQ(chemistry.report().lanes.share(), 64.0 / 96);
  Chemistry unsorted(ozone(),
                     [](const CellBlock& b, Stream&) {
                       for (std::int64_t n = 0; n < b.temperature.extent(0); ++n) {
                         b.steps(n, 0, 0) = b.temperature(n, 0, 0) > 270 ? 9 : 1;
                         b.outcome(n, 0, 0) = 0;
                       }
                     },
                     air.fields(), {});
  for (int call = 0; call < 2; ++call)
    unsorted(stream);
  EXPECT_EQ(unsorted.report().lanes.attempts, 4 * 9 + 28);
  EXPECT_EQ(unsorted.report().lanes.room, 4 * 8 * 9);
}

TEST(Chemistry, NitrogenIsConserved) {
  double before = 0;
  double after = 0;
  for (const auto& [n, state] : one_rank()) {
    const auto cell = static_cast<double>(n);
    before += 4e-9 * (1 + cell) + 4e-8 + 5 * 120 * rate(n, 2, 0);
    after += state[2] + state[3];
  }
  EXPECT_NEAR(after / before, 1, 1e-12);
}

TEST(Chemistry, CellsThatFailSaySoAndKeepTheirState) {
  const Air air(robertson(), BlockGrid(Box{{10, 0, 0}, {30, 1, 1}}));
  air.concentration->fill([](std::int64_t, std::int64_t, std::int64_t, int c) { return c == 0 ? 1.0 : 0.0; });
  const double nan = std::numeric_limits<double>::quiet_NaN();
  air.temperature->view()(2, 0, 0) = -5;
  air.pressure->view()(3, 0, 0) = 0;
  air.concentration->view()(4, 0, 0, 1) = nan;
  Chemistry chemistry(robertson(), integrate_robertson, air.fields(), {.interval = 10});
  Stream stream;
  const std::string said = test::error_of([&] { chemistry(stream); });
  EXPECT_TRUE(test::contains(said, "chemistry 'robertson': 3 cells could not be integrated")) << said;
  EXPECT_TRUE(
      test::contains(said, "cell (12, 0, 0): the temperature is -5 K; T = -5 K, p = 101325 Pa, A = 1"))
      << said;
  ASSERT_EQ(chemistry.failures().size(), 3U);
  EXPECT_EQ(chemistry.failures()[1].reason, "the pressure is 0 Pa");
  EXPECT_EQ(chemistry.failures()[2].reason, "'B' is nan");
  EXPECT_EQ(chemistry.failures()[2].outcome, 3);
  EXPECT_EQ(air.concentration->view()(2, 0, 0, 0), 1.0);
  EXPECT_LT(air.concentration->view()(5, 0, 0, 0), 0.9); // the others are done
  chemistry.options.stop_on_failure = false;
  air.temperature->view()(2, 0, 0) = 298.15;
  chemistry(stream);
  EXPECT_EQ(chemistry.failures().size(), 2U);
  EXPECT_LT(air.concentration->view()(2, 0, 0, 0), 0.9);
}

TEST(Chemistry, HonoursTheLargestNumberOfSteps) {
  const Air air(robertson(), BlockGrid(Box{{0, 0, 0}, {9, 1, 1}}));
  air.concentration->fill([](std::int64_t, std::int64_t, std::int64_t, int c) { return c == 0 ? 1.0 : 0.0; });
  Chemistry chemistry(robertson(), integrate_hurried, air.fields(), {.interval = 1e4});
  Stream stream;
  const std::string said = test::error_of([&] { chemistry(stream); });
  EXPECT_TRUE(test::contains(said, "max_steps of the kernel did not do: 3 attempts")) << said;
  EXPECT_TRUE(test::contains(said, "a shorter interval")) << said;
  EXPECT_EQ(chemistry.report().most_attempts, 3);
  EXPECT_EQ(chemistry.step().view()(0, 0, 0), 0);
  EXPECT_TRUE(std::isfinite(air.concentration->view()(0, 0, 0, 0)));
}

/// What three cells hold after 40 s, and the attempts of each.
struct Tolerated {
  std::array<std::vector<double>, 3> concentration;
  std::int64_t attempts;
};
Tolerated tolerated(const Chemistry::Integrate& integrate, const ChemistryOptions& options) {
  const Air air(robertson(), BlockGrid(Box{{0, 0, 0}, {3, 1, 1}}));
  air.concentration->fill([](std::int64_t, std::int64_t, std::int64_t, int c) { return c == 0 ? 1.0 : 0.0; });
  Chemistry chemistry(robertson(), integrate, air.fields(), options);
  Stream stream;
  chemistry(stream);
  Tolerated found{{}, chemistry.report().most_attempts};
  for (int c = 0; c < 3; ++c)
    found.concentration[static_cast<std::size_t>(c)] = air.concentration->read(0, c);
  return found;
}

TEST(Chemistry, TakesATolerancePerSpecies) {
  ChemistryOptions options{.interval = 40, .relative_tolerance = 1e-6, .absolute_tolerance = 1e-14};
  const Tolerated one = tolerated(integrate_robertson, options);
  const Tolerated alike = tolerated(integrate_each, options); // one number for all
  options.absolute_tolerances = {1e-14, 1e-14, 1e-14};
  const Tolerated three = tolerated(integrate_each, options);
  EXPECT_EQ(one.concentration, alike.concentration);
  EXPECT_EQ(one.concentration, three.concentration);
  EXPECT_EQ(one.attempts, three.attempts);
  // B is 1e-5 of A: its tolerance decides what becomes of it, the others' do not.
  const double wanted = 9.1851e-06; // of B, SUNDIALS, example cvRoberts_dns
  options.relative_tolerance = 1e-3;
  options.absolute_tolerances = {1e-3, 1e-10, 1e-3};
  const Tolerated tight = tolerated(integrate_each, options);
  options.absolute_tolerances = {1e-10, 1e-3, 1e-10};
  const Tolerated loose = tolerated(integrate_each, options);
  EXPECT_NEAR(tight.concentration[1][0], wanted, 5e-3 * wanted);
  EXPECT_NE(tight.concentration[1], loose.concentration[1]);
  EXPECT_NE(tight.attempts, loose.attempts);
}

TEST(Chemistry, RefusesTolerancesThatDoNotFit) {
  const auto refused = [](const Chemistry::Integrate& integrate, const std::vector<double>& tolerances) {
    return test::error_of([&] { (void)tolerated(integrate, {.absolute_tolerances = tolerances}); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(test::contains(refused(integrate_each, {1e-9, 1e-9}),
                             "absolute_tolerances has 2 numbers for the 3 species of 'robertson'"));
  EXPECT_TRUE(test::contains(refused(integrate_each, {1e-9, -1e-9, 1e-9}),
                             "the absolute tolerance of 'B' is -1e-09"));
  EXPECT_TRUE(
      test::contains(refused(integrate_each, {1e-9, 1e-9, nan}), "the absolute tolerance of 'C' is nan"));
  EXPECT_TRUE(test::contains(refused(integrate_each, {0, 1e-9, 1e-9}), "the absolute tolerance of 'A' is 0"));
  EXPECT_TRUE(
      test::contains(refused(integrate_robertson, {1e-9, 1e-9, 1e-9}), "but the kernel takes one for all"));
  const AbsoluteTolerance one = 1e-9;
  EXPECT_TRUE(test::contains(test::error_of([&] { (void)static_cast<const double*>(one); }),
                             "takes an absolute tolerance per species"));
}

TEST(Chemistry, RefusesWhatDoesNotFit) {
  const Air air(ozone(), row);
  const Air other(ozone(), BlockGrid(Box{{0, 0, 0}, {3, 1, 1}}));
  const auto refused = [&](const ChemicalMechanism& mechanism, const ChemistryFields& fields,
                           const ChemistryOptions& options = {}) {
    return test::error_of([&] { Chemistry(mechanism, integrate_ozone, fields, options); });
  };
  EXPECT_TRUE(test::contains(refused(robertson(), air.fields()), "has 4 components, not 3"));
  EXPECT_TRUE(test::contains(
      refused(ozone(), {*air.concentration, *other.temperature, *air.pressure, air.rates.get()}),
      "has other blocks"));
  EXPECT_TRUE(test::contains(refused(ozone(), {*air.concentration, *air.temperature, *air.pressure, nullptr}),
                             "the first one is 'PHOTO.NO2'"));
  EXPECT_TRUE(test::contains(refused(ozone(), air.fields(), {.interval = -1}), "interval is -1"));
  EXPECT_TRUE(
      test::contains(refused(ozone(), air.fields(), {.relative_tolerance = 0}), "relative_tolerance"));
  EXPECT_TRUE(
      test::contains(refused(ozone(), air.fields(), {.absolute_tolerance = 0}), "absolute_tolerance"));
  EXPECT_TRUE(test::contains(refused(ozone(), air.fields(), {.imbalance = 0.5}), "imbalance is 0.5"));
  EXPECT_TRUE(test::contains(refused(ozone(), air.fields(), {.sort_below = 0.8}), "sort_below is 0.8"));
  EXPECT_TRUE(test::contains(
      test::error_of([&] { Chemistry(ozone(), Chemistry::Integrate(), air.fields()); }), "no kernel"));
  EXPECT_EQ(ozone().species_number("NO"), 2);
  EXPECT_TRUE(test::contains(test::error_of([] { (void)ozone().species_number("no2"); }), "alike are: NO2"));
  EXPECT_TRUE(
      test::contains(test::error_of([] { (void)ozone().species_number("n"); }), "alike are: NO, NO2"));
  EXPECT_TRUE(
      test::contains(test::error_of([] { (void)ozone().input_number("CO"); }), "its first is 'PHOTO.NO2'"));
}

} // namespace
} // namespace heddle
