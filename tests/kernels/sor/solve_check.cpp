// SPDX-License-Identifier: Apache-2.0
// Solves: they end at the tolerance, or say that they cannot; sweeps up and down, schedules of omega,
// refinement.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../support/device_memory.hpp"
#include "box.hpp"
#include "cube.hpp"
#include "heddle/solvers/relaxation.hpp"
#include "heddle/solvers/solve.hpp"
#include "sor_refine_sweeps.hpp"
#include "sor_sweeps.hpp"

namespace {

using test::Box;
using test::Cell;
using test::noise;

/// A field that is split by colour: half as many cells along x, two components.
template <class T> heddle::Field<T> split_field(const Cell& cells, const char* name) {
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {cells[0] / 2, cells[1], cells[2]}});
  return heddle::Field<T>(grid,
                          {.components = 2, .ghost_layers = 1, .memory = test::device_memory, .name = name});
}

template <class T, class U> void fill(heddle::Field<T>& field, const Box<U>& from) {
  field.fill([&](auto i, auto y, auto z, int colour) { return from(2 * i + (colour + y + z) % 2, y, z); });
}

template <class T> struct Wind {
  explicit Wind(const test::Cube<double>& from)
      : weights{from.problem.weight}, open(split_field<std::uint8_t>(from.problem.phi.cells(), "open")),
        phi(split_field<T>(from.problem.phi.cells(), "phi")),
        right(split_field<T>(from.problem.phi.cells(), "right")), largest(1, test::device_memory) {
    fill(open, from.problem.open);
    fill(right, from.problem.right);
  }

  /// Sweeps, of which the last reports its largest change.
  heddle::TaskGraph cycle(double omega, int sweeps = 10) {
    heddle::TaskGraph graph({.memory = test::device_memory});
    for (int i = 1; i < sweeps; ++i)
      graph.add(sor::SplitSweep<T>(open, phi, right, {weights[0], weights[1], weights[2], omega}));
    graph.add(sor::SplitCheck<T>(open, phi, right, largest, {weights[0], weights[1], weights[2], omega}));
    return graph;
  }

  std::array<double, 3> weights;
  heddle::Field<std::uint8_t> open;
  heddle::Field<T> phi;
  heddle::Field<T> right;
  heddle::Buffer<T> largest;
};

TEST(Solve, MeetsWhatFloatCanMeetAndSaysWhatItCannot) {
  const test::Cube<double> cube(false);
  Wind<float> wind(cube);
  heddle::TaskGraph cycle = wind.cycle(cube.best_omega());
  const heddle::Solution met = heddle::solve(cycle, wind.largest, {.tolerance = 1e-3});
  EXPECT_TRUE(met.converged()) << to_string(met);
  EXPECT_LE(met.measure, 1e-3);
  EXPECT_LT(met.cycles, 40);
  const heddle::Solution stalled = heddle::solve(cycle, wind.largest, {.tolerance = 1e-9});
  EXPECT_EQ(stalled.outcome, heddle::Outcome::stalled) << to_string(stalled);
  EXPECT_GT(stalled.least, 1e-7);
  EXPECT_LT(stalled.least, 1e-4);
}

/// One sweep, so that the NaN has not spread; the tolerance is one that every number meets.
TEST(Solve, ANaNOfOneCellIsNeverConverged) {
  const test::Cube<double> cube(false);
  const Cell cells = cube.problem.phi.cells();
  for (const std::int64_t at : {std::int64_t{0}, cells[0] / 4, cells[0] / 2 - 1}) {
    Wind<float> wind(cube);
    const Box<double>& right = cube.problem.right;
    wind.right.fill([&](auto i, auto y, auto z, int colour) {
      const bool wrong = i == at && y == 1 && z == cells[2] - 2 && colour == 1;
      return wrong ? std::nan("") : right(2 * i + (colour + y + z) % 2, y, z);
    });
    heddle::TaskGraph cycle = wind.cycle(cube.best_omega(), 1);
    const heddle::Solution solution = heddle::solve(cycle, wind.largest, {.tolerance = 1e30});
    EXPECT_EQ(solution.outcome, heddle::Outcome::diverged) << to_string(solution);
    EXPECT_EQ(solution.cycles, 1);
  }
}

/// An open box in which phi is given around, with noise as the right side; split by colour.
class Noise {
public:
  static constexpr Cell cells{32, 29, 30};

  Noise() : open_(split_field<std::uint8_t>(cells, "open")), right_(split_field<double>(cells, "right")) {
    open_.fill([](auto, auto, auto, int) { return std::uint8_t{63}; });
    right_.fill(
        [](auto i, auto y, auto z, int colour) { return noise(i + 32 * (y + 29 * (z + 30 * colour))); });
  }

  [[nodiscard]] sor::SplitSweep<double> sweep(heddle::Field<double>& phi, double omega) {
    return {open_, phi, right_, {1, 1, 1, omega}};
  }
  static double radius() { return heddle::jacobi_radius({{{32, 1, 2}, {29, 1, 2}, {30, 1, 2}}}); }

  /// Values of both colours after `count` tasks.
  template <class Task>
  std::vector<double> after(std::int64_t count, heddle::Field<double>& phi, Task&& task) {
    heddle::Stream stream(test::device_memory);
    for (std::int64_t n = 0; n < count; ++n)
      task(stream);
    stream.synchronise();
    std::vector<double> values = phi.read(0, 0);
    const std::vector<double> black = phi.read(0, 1);
    values.insert(values.end(), black.begin(), black.end());
    return values;
  }

private:
  heddle::Field<std::uint8_t> open_;
  heddle::Field<double> right_;
};

TEST(Solve, SymmetricSweepsGoUpAndDownTheColours) {
  Noise box;
  auto phi = split_field<double>(Noise::cells, "phi");
  auto other = split_field<double>(Noise::cells, "other");
  const std::vector<double> found = box.after(3, phi, heddle::SymmetricSweep(box.sweep(phi, 1.4)));
  const std::vector<double> expected = box.after(3, other, [&](heddle::Stream& stream) {
    for (const auto& colours : {heddle::ColourRange{0, 2}, {1, 2}, {0, 1}}) {
      sor::SplitSweep<double> sweep = box.sweep(other, 1.4);
      sweep.colours = colours;
      sweep(stream);
    }
  });
  EXPECT_EQ(found, expected);
}

TEST(Solve, ChebyshevSchedulesNeverStepBack) {
  Noise box;
  const double best = heddle::optimal_omega(Noise::radius());
  auto converged = split_field<double>(Noise::cells, "converged");
  const std::vector<double> exact = box.after(400, converged, box.sweep(converged, best));
  auto scheduled = split_field<double>(Noise::cells, "scheduled");
  heddle::ChebyshevOmega omega(Noise::radius());
  std::int64_t half = 0;
  const auto half_sweep = [&](heddle::Stream& stream) {
    sor::SplitSweep<double> sweep = box.sweep(scheduled, omega.next());
    sweep.colours = {half % 2, half % 2 + 1};
    ++half;
    sweep(stream);
  };
  const auto error = [&](std::int64_t half_sweeps) {
    const std::vector<double> values = box.after(half_sweeps, scheduled, half_sweep);
    double squares = 0;
    for (std::size_t n = 0; n < values.size(); ++n)
      squares += (values[n] - exact[n]) * (values[n] - exact[n]);
    return std::sqrt(squares);
  };
  double before = error(0);
  const double start = before;
  for (int n = 0; n < 30; ++n) {
    const double now = error(2);
    EXPECT_LT(now, before) << n;
    before = now;
  }
  EXPECT_LT(error(340), 1e-13 * start); // 200 sweeps; with omega = 1 each sweep leaves 0.99 of it
}

#ifndef HEDDLE_ON_DEVICE
TEST(Solve, CorrectionsInFloatMakeASolutionInDouble) {
  const test::Cube<double> cube(false);
  const std::array<double, 3>& c = cube.problem.weight;
  Wind<float> wind(cube);
  auto solution = split_field<double>(cube.problem.phi.cells(), "solution");
  auto source = split_field<double>(cube.problem.phi.cells(), "source");
  fill(source, cube.problem.right);
  heddle::Buffer<double> measure(1);
  heddle::TaskGraph defect;
  heddle::TaskGraph correct;
  defect.add(
      sor_refine::Defect<double>(wind.open, solution, source, wind.right, measure, {c[0], c[1], c[2]}));
  correct.add(sor_refine::Correct<double>(wind.phi, solution));
  heddle::TaskGraph cycle = wind.cycle(cube.best_omega());
  const auto correction = [&] { cycle.run(12); };
  const heddle::Solution found = heddle::refine(defect, measure, correction, correct, {.tolerance = 1e-11});
  EXPECT_TRUE(found.converged()) << to_string(found);
  EXPECT_LT(found.cycles, 12);
}
#endif

} // namespace
