// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_SOLVERS_SOLVE_STEP_HPP
#define HEDDLE_SRC_SOLVERS_SOLVE_STEP_HPP

#include <cmath>

#include "heddle/device/qualifiers.hpp"
#include "heddle/solvers/solve.hpp"

namespace heddle {

/// What a cycle means for a solve; the host and the device decide alike. Returns whether another cycle
/// follows.
HEDDLE_HOST_DEVICE inline bool advance(Solution& solution, double measure, const Stopping& stopping) {
  ++solution.cycles;
  solution.measure = measure;
  if (solution.cycles == 1 || measure < stopping.least_progress * solution.least) {
    solution.least = measure;
    solution.since_least = 0;
  } else {
    ++solution.since_least;
  }
  if (!(measure - measure == 0)) { // infinite or not a number
    solution.outcome = Outcome::diverged;
  } else if (measure <= stopping.tolerance) {
    solution.outcome = Outcome::converged;
  } else if (solution.since_least >= stopping.patience) {
    solution.outcome = Outcome::stalled;
  } else if (solution.cycles >= stopping.most_cycles) {
    solution.outcome = Outcome::exhausted;
  }
  return solution.outcome == Outcome::running;
}

/// The largest of some values; NaN where there is one.
template <class T> HEDDLE_HOST_DEVICE inline double largest_of(const T* values, std::int64_t count) {
  double largest = static_cast<double>(values[0]);
  for (std::int64_t i = 1; i < count; ++i) {
    const double value = static_cast<double>(values[i]);
    if (value > largest || value != value) largest = value;
  }
  return largest;
}

} // namespace heddle

#endif
