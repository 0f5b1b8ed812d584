// SPDX-License-Identifier: Apache-2.0
#include "heddle/solvers/solve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/solvers/relaxation.hpp"

namespace {

using heddle::Outcome;
using heddle::Solution;
using heddle::Stopping;

/// A cycle whose measure takes these values, one after the other; the last one remains.
template <class T> class Script {
public:
  explicit Script(std::vector<T> values) : values_(std::move(values)) {
    graph_.add("script", {{&measure_, "measure", heddle::AccessMode::write}}, [this](heddle::Stream&) {
      measure_.span()[0] = values_[std::min(next_++, values_.size() - 1)];
    });
  }
  Solution solve(const Stopping& stopping) { return heddle::solve(graph_, measure_, stopping); }
  std::size_t runs() const { return next_; }

private:
  std::vector<T> values_;
  std::size_t next_ = 0;
  heddle::Buffer<T> measure_{1};
  heddle::TaskGraph graph_;
};

TEST(Solve, EndsWhereTheToleranceIsMet) {
  Script<double> script({4, 9, 2, 1, 0.5});
  const Solution solution = script.solve({.tolerance = 1});
  EXPECT_TRUE(solution.converged());
  EXPECT_EQ(solution.cycles, 4);
  EXPECT_EQ(script.runs(), 4U);
  EXPECT_EQ(solution.measure, 1);
  EXPECT_EQ(solution.least, 1);
  EXPECT_EQ(to_string(solution), "converged after 4 cycles, measure 1");
}

TEST(Solve, SaysThatItHasStalled) {
  Script<float> script({8, 4, 2, 2, 1.99F, 3, 2});
  const Solution solution = script.solve({.tolerance = 1, .patience = 5});
  EXPECT_EQ(solution.outcome, Outcome::stalled);
  EXPECT_EQ(solution.cycles, 8); // 1.99 is no progress from 2
  EXPECT_EQ(solution.least, 2);
}

TEST(Solve, SmallStepsAreProgressWhenTheyAddUp) {
  std::vector<double> slow;
  for (int i = 0; i < 100; ++i)
    slow.push_back(std::pow(0.997, i));
  EXPECT_EQ(Script<double>(slow).solve({.tolerance = 0.8, .patience = 5}).outcome, Outcome::converged);
}

TEST(Solve, TheLeastMeasureHasToBecomeSmallerNotOnlyToRemain) {
  const Solution solution = Script<double>({4}).solve({.tolerance = 0, .patience = 3, .least_progress = 1});
  EXPECT_EQ(solution.outcome, Outcome::stalled);
  EXPECT_EQ(solution.cycles, 4);
}

TEST(Solve, AToleranceOfZeroIsMetByZero) {
  EXPECT_TRUE(Script<double>({4, 1, 0}).solve({.tolerance = 0}).converged());
}

TEST(Solve, EndsAtTheMostCyclesAndWhereNumbersEnd) {
  const Solution exhausted = Script<double>({5, 4, 3, 2}).solve({.tolerance = 1, .most_cycles = 3});
  EXPECT_EQ(exhausted.outcome, Outcome::exhausted);
  EXPECT_EQ(exhausted.cycles, 3);
  EXPECT_EQ(to_string(exhausted), "not converged after 3 cycles, measure 3");
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    const Solution solution = Script<double>({5, wrong, 0}).solve({.tolerance = 1});
    EXPECT_EQ(solution.outcome, Outcome::diverged);
    EXPECT_EQ(solution.cycles, 2);
  }
}

TEST(Solve, TheLargestOfSeveralBlocksCounts) {
  heddle::Buffer<double> measure(3);
  heddle::TaskGraph graph;
  int runs = 0;
  graph.add("blocks", {}, [&](heddle::Stream&) {
    const auto values = measure.span();
    values[0] = 0;
    values[1] = 4.0 / ++runs;
    values[2] = 0;
  });
  EXPECT_EQ(heddle::solve(graph, measure, {.tolerance = 1}).cycles, 4);
}

TEST(Solve, ABlockWithoutNumbersCountsWhereverItIs) {
  for (std::size_t place = 0; place < 3; ++place) {
    heddle::Buffer<double> measure(3);
    heddle::TaskGraph graph;
    graph.add("blocks", {}, [&](heddle::Stream&) {
      std::ranges::fill(measure.span(), 0.5);
      measure.span()[place] = std::numeric_limits<double>::quiet_NaN();
    });
    EXPECT_EQ(heddle::solve(graph, measure, {.tolerance = 1}).outcome, Outcome::diverged);
  }
}

TEST(Solve, RefusesWhatMakesNoSense) {
  Script<double> script({1});
  for (const Stopping& wrong :
       {Stopping{.tolerance = -1}, Stopping{.tolerance = std::numeric_limits<double>::quiet_NaN()},
        Stopping{.most_cycles = 0}, Stopping{.patience = 0}, Stopping{.least_progress = 0},
        Stopping{.least_progress = 1.5}})
    EXPECT_THROW((void)script.solve(wrong), heddle::Error);
  heddle::TaskGraph empty;
  const heddle::Buffer<double> measure(1);
  EXPECT_THROW((void)heddle::solve(empty, measure, {}), heddle::Error);
  heddle::TaskGraph one;
  one.add("task", {}, [](heddle::Stream&) {});
  EXPECT_THROW((void)heddle::solve(one, heddle::Buffer<double>(0), {}), heddle::Error);
  EXPECT_THROW((void)heddle::refine(one, measure, {}, one, {}), heddle::Error);
  EXPECT_THROW((void)heddle::refine(empty, measure, [] {}, one, {}), heddle::Error);
}

TEST(Solve, RefinementAddsCorrectionsUntilTheDefectIsSmall) {
  double solution = 0;
  float correction = 0;
  heddle::Buffer<double> measure(1);
  heddle::TaskGraph defect;
  heddle::TaskGraph correct;
  defect.add("defect", {}, [&](heddle::Stream&) { measure.span()[0] = std::abs(1.0 / 3 - solution); });
  correct.add("correct", {}, [&](heddle::Stream&) { solution += static_cast<double>(correction); });
  const auto solve = [&] { correction = static_cast<float>(1.0 / 3 - solution); };
  EXPECT_TRUE(heddle::refine(defect, measure, solve, correct, {.tolerance = 1e-15}).converged());
  EXPECT_NEAR(solution, 1.0 / 3, 1e-15);
}

TEST(Solve, RefinementCorrectsOnceForEachDefectThatIsTooLarge) {
  heddle::Buffer<double> measure(2);
  heddle::TaskGraph defect;
  heddle::TaskGraph correct;
  std::string steps;
  defect.add("defect", {}, [&](heddle::Stream&) {
    steps += 'd';
    measure.span()[0] = 0;
    measure.span()[1] = steps.size() < 7 ? 2 : 1; // the second block decides
  });
  correct.add("correct", {}, [&](heddle::Stream&) { steps += 'c'; });
  const Solution solution = heddle::refine(defect, measure, [&] { steps += 's'; }, correct, {.tolerance = 1});
  EXPECT_TRUE(solution.converged());
  EXPECT_EQ(steps, "dscdscd");
}

TEST(Relaxation, TheOptimalOmegaIsThatOfTheFormula) {
  // 100^3 cells of 2 m x 2 m x 1 m of the cube case, sor-wind.md, section 5.1: 1.956
  const double radius = heddle::jacobi_radius({{{98, 2, 2}, {98, 2, 2}, {99, 1, 1}}});
  EXPECT_NEAR(heddle::optimal_omega(radius), 1.956, 5e-4);
  // One dimension in effect: radius = cos(pi / (n + 1)).
  const double line = heddle::jacobi_radius({{{9, 1, 2}, {1, 1e9, 0}, {1, 1e9, 0}}});
  EXPECT_NEAR(line, std::cos(std::numbers::pi / 10), 1e-12);
  EXPECT_NEAR(heddle::optimal_omega(line), 2 / (1 + std::sin(std::numbers::pi / 10)), 1e-12);
  // Given at one end: half of a line of twice the cells and one more, which is given at both.
  const double half = heddle::jacobi_radius({{{9, 1, 1}, {1, 1e9, 0}, {1, 1e9, 0}}});
  EXPECT_NEAR(half, std::cos(std::numbers::pi / 19), 1e-12);
  // Given nowhere along y, as many cells of one size as along x: the mean of cos(pi / (n + 1)) and 1.
  const double open = heddle::jacobi_radius({{{9, 1, 2}, {9, 1, 0}, {1, 1e9, 0}}});
  EXPECT_NEAR(open, (std::cos(std::numbers::pi / 10) + 1) / 2, 1e-12);
  EXPECT_EQ(heddle::optimal_omega(0), 1);
  EXPECT_NEAR(2 - heddle::omega_before_smoothing(radius), 1.3 * (2 - heddle::optimal_omega(radius)), 1e-15);
  EXPECT_THROW((void)heddle::omega_before_smoothing(1), heddle::Error);
}

TEST(Relaxation, TheChebyshevScheduleBeginsAtOneAndEndsAtTheOptimum) {
  const double radius = 0.99;
  heddle::ChebyshevOmega schedule(radius);
  EXPECT_EQ(schedule.next(), 1);
  EXPECT_DOUBLE_EQ(schedule.next(), 1 / (1 - radius * radius / 2));
  double omega = 0;
  for (int i = 0; i < 400; ++i) {
    const double next = schedule.next();
    EXPECT_LT(next, 2);
    omega = next;
  }
  EXPECT_NEAR(omega, heddle::optimal_omega(radius), 1e-12);
}

TEST(Relaxation, RefusesWhatHasNoOptimum) {
  EXPECT_THROW((void)heddle::jacobi_radius({{{0, 1, 2}, {1, 1, 2}, {1, 1, 2}}}), heddle::Error);
  EXPECT_THROW((void)heddle::jacobi_radius({{{3, -1, 2}, {1, 1, 2}, {1, 1, 2}}}), heddle::Error);
  EXPECT_THROW((void)heddle::jacobi_radius({{{3, 1, 3}, {1, 1, 2}, {1, 1, 2}}}), heddle::Error);
  EXPECT_THROW((void)heddle::jacobi_radius({{{3, 1, 0}, {3, 1, 0}, {3, 1, 0}}}), heddle::Error);
  EXPECT_THROW((void)heddle::jacobi_radius({{{3, 0, 2}, {1, 1, 2}, {1, 1, 2}}}), heddle::Error);
  EXPECT_THROW((void)heddle::jacobi_radius({{{3, 1, -1}, {1, 1, 2}, {1, 1, 2}}}), heddle::Error);
  EXPECT_THROW((void)heddle::optimal_omega(1), heddle::Error);
  EXPECT_THROW((void)heddle::optimal_omega(-0.5), heddle::Error);
}

/// Stands in for a coloured sweep: notes the colours it is asked for.
struct Noted {
  std::vector<std::int64_t>* seen;
  heddle::ColourRange colours{0, 2};
  std::string_view name() const { return "noted"; }
  heddle::Memory memory() const { return heddle::Memory::host; }
  std::vector<heddle::FieldAccess> accesses() const { return {}; }
  void operator()(heddle::Stream&) const {
    for (std::int64_t c = colours.first; c < colours.last; ++c)
      seen->push_back(c);
  }
};

TEST(Relaxation, ASymmetricSweepGoesUpAndDown) {
  std::vector<std::int64_t> seen;
  heddle::TaskGraph graph;
  graph.add(heddle::SymmetricSweep(Noted{&seen, {0, 2}}));
  graph.run(2);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 1, 0, 0, 1, 1, 0}));
}

TEST(Relaxation, ColoursNeedEvenBlocks) {
  const auto field = [](const std::array<std::int64_t, 3>& cells, const std::array<int, 3>& blocks,
                        bool periodic) {
    const heddle::BlockGrid grid(heddle::Box{{3, 0, 0}, {3 + cells[0], cells[1], cells[2]}}, blocks,
                                 {periodic, false, false});
    return heddle::Field<double>(grid);
  };
  EXPECT_NO_THROW(heddle::require_even_blocks(field({8, 3, 3}, {2, 1, 1}, true), "sor"));
  EXPECT_NO_THROW(heddle::require_even_blocks(field({7, 3, 3}, {1, 1, 1}, false), "sor"));
  EXPECT_THROW(heddle::require_even_blocks(field({6, 3, 3}, {2, 1, 1}, false), "sor"), heddle::Error);
  EXPECT_THROW(heddle::require_even_blocks(field({7, 3, 3}, {1, 1, 1}, true), "sor"), heddle::Error);
}

} // namespace
