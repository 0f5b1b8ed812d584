// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVERS_SOLVE_HPP
#define HEDDLE_SOLVERS_SOLVE_HPP

#include <cstdint>
#include <functional>
#include <string>

#include "heddle/core/buffer.hpp"
#include "heddle/graph/task_graph.hpp"

namespace heddle {

/// How a solve ended.
enum class Outcome : std::int32_t {
  running,   // not yet
  converged, // the measure fell to the tolerance
  stalled,   // it no longer falls: rounding, or an equation without a solution
  exhausted, // the most cycles were run
  diverged   // it is infinite or not a number
};

[[nodiscard]] std::string to_string(Outcome outcome);

/// When a solve ends.
struct Stopping {
  double tolerance = 0; // of the measure, in its own units
  std::int64_t most_cycles = 1000;
  std::int64_t patience = 10;   // cycles in which the measure must fall, or the solve has stalled
  double least_progress = 0.99; // ... to this part of its least value before
};

/// What a solve did.
struct Solution {
  Outcome outcome = Outcome::running;
  std::int64_t cycles = 0;
  double measure = 0;           // after the last cycle
  double least = 0;             // of all cycles
  std::int64_t since_least = 0; // cycles since it last fell noticeably
  /// Whether the tolerance was met.
  [[nodiscard]] bool converged() const noexcept { return outcome == Outcome::converged; }
};

/// "converged after 12 cycles, measure 3.1e-07", for people.
[[nodiscard]] std::string to_string(const Solution& solution);

/// Runs `cycle`, a number of iterations the last of which stores the error measure to `measure` (one value
/// per block; the largest counts), until the measure falls to the tolerance, or no longer falls.
///
/// All tasks on the device: the whole loop is one CUDA graph with a WHILE node, and the host waits once, at
/// its end (CUDA 12.4 or newer; before that, and on the host, each cycle is followed by a look at the
/// measure). Throws Error for an empty cycle or measure, a measure elsewhere than the tasks, or limits that
/// make no sense.
Solution solve(TaskGraph& cycle, const Buffer<float>& measure, const Stopping& stopping);
Solution solve(TaskGraph& cycle, const Buffer<double>& measure, const Stopping& stopping);

/// Iterative refinement: corrections in few digits make a solution in many. A cycle puts the defect of the
/// solution, in double, into the right-hand side of the correction, and its size into `measure` (`defect`);
/// solves for the correction in float (`correction`); and adds it to the solution (`correct`). Ends as
/// solve() does, and throws as it does; the last thing done is always a defect.
Solution refine(TaskGraph& defect, const Buffer<double>& measure, const std::function<void()>& correction,
                TaskGraph& correct, const Stopping& stopping);

} // namespace heddle

#endif
