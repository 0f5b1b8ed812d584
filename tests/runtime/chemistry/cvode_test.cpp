// SPDX-License-Identifier: Apache-2.0
// heddle::cvode_integrator: published values, the emitted Rosenbrock method, tolerances, and cells that fail.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../support/messages.hpp"
#include "heddle/chemistry_cvode/cvode.hpp"
#include "kernels.hpp"
#include "newton.hpp"

namespace heddle {
namespace {

using reaction_tests::ozone;
using reaction_tests::robertson;

NewtonKernels robertson_kernels() {
  return {.reactions = 3,
          .entries = 8,
          .rate_constants = [](auto temperature, auto pressure, auto,
                               auto k) { newton::robertson_rate_constants(temperature, pressure, k); },
          .tendency = [](const auto&... a) { newton::robertson_tendency(a...); },
          .factorise = [](const auto&... a) { newton::robertson_factorise(a...); },
          .solve = [](const auto&... a) { newton::robertson_solve(a...); }};
}
NewtonKernels ozone_kernels() {
  return {.reactions = 5,
          .entries = 13,
          .rate_constants = [](const auto&... a) { newton::ozone_rate_constants(a...); },
          .tendency = [](const auto&... a) { newton::ozone_tendency(a...); },
          .factorise = [](const auto&... a) { newton::ozone_factorise(a...); },
          .solve = [](const auto&... a) { newton::ozone_solve(a...); }};
}

/// Cells side by side, as Chemistry hands them to an integrator.
struct Cells {
  Cells(std::int64_t count, std::int64_t species, std::int64_t inputs)
      : cells(count), concentration(at(count * species)), rate_input(at(count * inputs)),
        temperature(at(count), 298.15), pressure(at(count), 101325), step(at(count)), outcome(at(count), -1),
        steps(at(count)) {}
  static std::size_t at(std::int64_t n) { return static_cast<std::size_t>(n); }

  [[nodiscard]] CellBatch batch(double interval, double relative, const AbsoluteTolerance& absolute) {
    const auto species = static_cast<std::int64_t>(concentration.size()) / cells;
    const auto inputs = static_cast<std::int64_t>(rate_input.size()) / cells;
    return {.concentration = {concentration.data(), cells, species, cells},
            .temperature = {temperature.data(), cells, 1, cells},
            .pressure = {pressure.data(), cells, 1, cells},
            .rate_input = {rate_input.data(), cells, inputs, cells},
            .step = {step.data(), cells, 1, cells},
            .outcome = {outcome.data(), cells, 1, cells},
            .steps = {steps.data(), cells, 1, cells},
            .absolute_tolerance = absolute,
            .interval = interval,
            .relative_tolerance = relative};
  }
  [[nodiscard]] double of(std::int64_t cell, std::int64_t species) const {
    return concentration[at(cell + species * cells)];
  }

  std::int64_t cells;
  std::vector<double> concentration, rate_input, temperature, pressure, step;
  std::vector<std::int32_t> outcome;
  std::vector<std::int64_t> steps;
};

Cells robertson_cells(std::int64_t count) {
  Cells found(count, 3, 0);
  for (std::int64_t n = 0; n < count; ++n)
    found.concentration[Cells::at(n)] = 1 + 0.25 * static_cast<double>(n);
  return found;
}

/// The Robertson problem with the tolerances per species of SUNDIALS' example cvRoberts_dns, and its
/// published values; at t = 1e11 those of F. Mazzia and C. Magherini, Test Set for Initial Value Problem
/// Solvers (2008).
TEST(Cvode, SolvesTheProblemOfRobertson) {
  struct Row {
    double time;
    double relative;
    std::array<double, 3> absolute;
    std::array<double, 3> wanted;
    double allowed;
  };
  for (const Row& each : {Row{0.4, 1e-6, {1e-10, 1e-16, 1e-8}, {9.8517e-01, 3.3864e-05, 1.4794e-02}, 1e-4},
                          Row{40, 1e-6, {1e-10, 1e-16, 1e-8}, {7.1582e-01, 9.1851e-06, 2.8417e-01}, 1e-4},
                          Row{4000, 1e-6, {1e-10, 1e-16, 1e-8}, {1.8320e-01, 8.9423e-07, 8.1680e-01}, 1e-4},
                          Row{1e11,
                              1e-8,
                              {1e-16, 1e-22, 1e-12},
                              {0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050},
                              1e-3}}) {
    Cells cells = robertson_cells(1);
    const auto integrate = cvode_integrator(robertson_kernels());
    integrate(cells.batch(each.time, each.relative, {0, each.absolute.data(), true}));
    ASSERT_EQ(cells.outcome[0], 0) << each.time;
    for (std::int64_t s = 0; s < 3; ++s) {
      const double wanted = each.wanted[Cells::at(s)];
      EXPECT_NEAR(cells.of(0, s), wanted, each.allowed * wanted) << each.time;
    }
    EXPECT_NEAR(cells.of(0, 0) + cells.of(0, 1) + cells.of(0, 2), 1, 1e-11);
    EXPECT_GT(cells.steps[0], 30);
    EXPECT_GT(cells.step[0], 0);
  }
}

Cells ozone_cells(std::int64_t count) {
  Cells found(count, 4, 3);
  for (std::int64_t n = 0; n < count; ++n) {
    const auto cell = static_cast<double>(n);
    const double start[] = {0, 2e-6 * (1 + 0.1 * cell), 4e-9 * (1 + cell), 4e-8};
    const double rates[] = {5e-3 * (0.5 + 0.01 * cell), 3e-4 * cell, n % 3 == 0 ? 1e-10 : 0};
    for (std::int64_t s = 0; s < 4; ++s)
      found.concentration[Cells::at(n + s * count)] = start[s];
    for (std::int64_t q = 0; q < 3; ++q)
      found.rate_input[Cells::at(n + q * count)] = rates[q];
    found.temperature[Cells::at(n)] = 220 + 5 * cell;
  }
  return found;
}

/// The emitted method and CVODE share the mechanism and nothing else: neither steps nor the linear solver.
TEST(Cvode, AgreesWithTheRosenbrockMethod) {
  Cells one = ozone_cells(17);
  Cells other = ozone_cells(17);
  cvode_integrator(ozone_kernels())(one.batch(120, 1e-9, 1e-20));
  reaction_tests::integrate_ozone(other.batch(120, 1e-8, 1e-20));
  for (std::int64_t n = 0; n < 17; ++n) {
    ASSERT_EQ(one.outcome[Cells::at(n)], 0);
    ASSERT_EQ(other.outcome[Cells::at(n)], 0);
    for (std::int64_t s = 0; s < 4; ++s)
      EXPECT_NEAR(one.of(n, s) / other.of(n, s), 1, 1e-5) << n << ", " << s;
  }
}

TEST(Cvode, SameBitsWhateverLiesBeside) {
  const auto integrate = cvode_integrator(robertson_kernels());
  Cells all = robertson_cells(9);
  integrate(all.batch(40, 1e-5, 1e-12));
  for (std::int64_t n = 0; n < 9; ++n) {
    Cells alone(1, 3, 0);
    alone.concentration[0] = 1 + 0.25 * static_cast<double>(n);
    integrate(alone.batch(40, 1e-5, 1e-12));
    for (std::int64_t s = 0; s < 3; ++s)
      EXPECT_EQ(alone.of(0, s), all.of(n, s)) << n;
    EXPECT_EQ(alone.steps[0], all.steps[Cells::at(n)]);
  }
}

/// The error of a step of order q is that of h^(q + 1), so a hundredth of the tolerance takes 100^(1/(q + 1))
/// times as many steps: 10 of backward Euler, 2 to 3 of orders up to 5.
TEST(Cvode, KeepsToTheHighestOrder) {
  const auto steps = [](int max_order, double relative) {
    Cells cells = robertson_cells(1);
    cvode_integrator(robertson_kernels(), {.max_steps = 1'000'000, .max_order = max_order})(
        cells.batch(4000, relative, 1e-2 * relative * 1e-6));
    EXPECT_EQ(cells.outcome[0], 0);
    EXPECT_NEAR(cells.of(0, 0), 0.18320, 3e-3) << max_order; // as above
    return static_cast<double>(cells.steps[0]);
  };
  const double coarse = steps(1, 1e-5);
  const double fine = steps(1, 1e-7);
  EXPECT_GT(fine / coarse, 8);
  EXPECT_LT(fine / coarse, 12);
  EXPECT_LT(steps(5, 1e-7) / steps(5, 1e-5), 3.5);
  EXPECT_GT(coarse, 3 * steps(5, 1e-5));
}

TEST(Cvode, UsesATolerancePerSpecies) {
  const auto integrate = cvode_integrator(robertson_kernels());
  const auto found = [&](const AbsoluteTolerance& absolute) {
    Cells cells = robertson_cells(1);
    integrate(cells.batch(40, 1e-4, absolute));
    EXPECT_EQ(cells.outcome[0], 0);
    return cells;
  };
  const std::array<double, 3> alike{1e-7, 1e-7, 1e-7};
  const std::array<double, 3> tight{1e-7, 1e-14, 1e-7}; // of B, of which there is 1e-5
  EXPECT_EQ(found(1e-7).concentration, found({1, alike.data(), true}).concentration);
  EXPECT_NE(found(1e-7).concentration, found({1e-7, tight.data(), true}).concentration);
  EXPECT_NE(found(1e-7).steps, found({1e-7, tight.data(), true}).steps);
}

TEST(Cvode, CellsThatFailSaySoAndKeepTheirState) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Cells cells = ozone_cells(6);
  const std::vector<double> before = cells.concentration;
  cells.temperature[1] = -5;
  cells.pressure[2] = 0;
  cells.rate_input[3] = nan;
  cells.temperature[4] = 1e-300; // rate constants overflow
  cvode_integrator(ozone_kernels())(cells.batch(120, 1e-4, 1e-15));
  EXPECT_EQ(cells.outcome, (std::vector<std::int32_t>{0, 3, 3, 3, 2, 0}));
  for (const std::int64_t n : {1, 2, 3, 4})
    for (std::int64_t s = 0; s < 4; ++s) {
      EXPECT_EQ(cells.of(n, s), before[Cells::at(n + s * 6)]) << n;
      EXPECT_EQ(cells.step[Cells::at(n)], 0);
    }
  EXPECT_NE(cells.of(5, 1), before[5 + 6]);
  Cells sound = ozone_cells(6);
  cvode_integrator(ozone_kernels())(sound.batch(120, 1e-4, 1e-15));
  for (std::int64_t s = 0; s < 4; ++s)
    EXPECT_EQ(cells.of(5, s), sound.of(5, s)) << s; // nothing of the cell that failed before it is left
}

TEST(Cvode, HonoursTheLargestNumberOfSteps) {
  Cells cells = robertson_cells(2);
  cvode_integrator(robertson_kernels(), {.max_steps = 3})(cells.batch(1e4, 1e-6, 1e-12));
  EXPECT_EQ(cells.outcome, (std::vector<std::int32_t>{1, 1}));
  EXPECT_GE(cells.steps[0], 3);
  EXPECT_NEAR(cells.of(0, 0) + cells.of(0, 1) + cells.of(0, 2), 1, 1e-12); // the last accepted step
  EXPECT_LT(cells.of(0, 0), 1);
}

/// Where nothing happens steps grow tenfold and more, but none leaves the interval: what holds in it, rate
/// constants for example, may not hold behind it.
TEST(Cvode, DoesNotStepBeyondTheInterval) {
  Cells cells(1, 3, 0);
  cells.concentration = {0, 0, 1}; // C alone does not react
  cvode_integrator(robertson_kernels())(cells.batch(10, 1e-4, 1e-9));
  EXPECT_EQ(cells.outcome[0], 0);
  EXPECT_EQ(cells.concentration, (std::vector<double>{0, 0, 1}));
  EXPECT_GT(cells.step[0], 0);
  EXPECT_LE(cells.step[0], 10);
}

/// Through Chemistry: fields, failures and their text are the same as for emitted integrators.
TEST(Cvode, IsAnIntegratorOfChemistry) {
  const BlockGrid grid(Box{{0, 0, 0}, {4, 1, 1}});
  Field<double> concentration(grid, {.components = 3, .ghost_layers = 0});
  Field<double> temperature(grid, {.ghost_layers = 0});
  Field<double> pressure(grid, {.ghost_layers = 0});
  concentration.fill([](std::int64_t, std::int64_t, std::int64_t, int c) { return c == 0 ? 1.0 : 0.0; });
  temperature.fill(298.15);
  pressure.fill(101325.0);
  Chemistry chemistry(
      robertson(), cvode_integrator(robertson_kernels()), {concentration, temperature, pressure, nullptr},
      {.interval = 40, .relative_tolerance = 1e-6, .absolute_tolerances = {1e-8, 1e-14, 1e-6}});
  Stream stream;
  chemistry(stream);
  EXPECT_EQ(chemistry.report().cells, 4);
  EXPECT_NEAR(concentration.read(0, 1)[3], 9.1851e-06, 1e-9);
  temperature.view()(2, 0, 0) = -1;
  const std::string said = test::error_of([&] { chemistry(stream); });
  EXPECT_TRUE(test::contains(said, "chemistry 'robertson': 1 cell could not be integrated")) << said;
  ASSERT_EQ(chemistry.failures().size(), 1U);
  EXPECT_EQ(chemistry.failures()[0].reason, "the temperature is -1 K");
  Chemistry hurried(robertson(), cvode_integrator(robertson_kernels(), {.max_steps = 3}),
                    {concentration, temperature, pressure, nullptr},
                    {.interval = 1e4, .stop_on_failure = false});
  hurried(stream);
  ASSERT_EQ(hurried.failures().size(), 4U);
  EXPECT_TRUE(test::contains(hurried.failures()[0].reason, "max_steps of the kernel did not do"));
}

TEST(Cvode, RefusesWhatDoesNotFit) {
  const auto refused = [](NewtonKernels kernels, const CvodeOptions& options = {}) {
    return test::error_of([&] { (void)cvode_integrator(std::move(kernels), options); });
  };
  NewtonKernels kernels = robertson_kernels();
  kernels.solve = nullptr;
  EXPECT_TRUE(test::contains(refused(kernels), "a kernel is missing"));
  kernels = robertson_kernels();
  kernels.entries = 0;
  EXPECT_TRUE(test::contains(refused(kernels), "3 reactions and 0 entries are no mechanism"));
  EXPECT_TRUE(test::contains(refused(robertson_kernels(), {.max_steps = 0}), "max_steps is 0"));
  for (const int order : {0, 6})
    EXPECT_TRUE(test::contains(refused(robertson_kernels(), {.max_order = order}),
                               "max_order is " + std::to_string(order)));
  kernels = robertson_kernels();
  kernels.entries = 7; // the kernel itself looks
  Cells cells = robertson_cells(1);
  EXPECT_THROW(cvode_integrator(kernels)(cells.batch(1, 1e-4, 1e-9)), std::exception);
}

} // namespace
} // namespace heddle
