// SPDX-License-Identifier: Apache-2.0
#include "heddle/solvers/solve.hpp"

#include <sstream>
#include <vector>

#include "cuda_loop.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/with_cuda.hpp"
#include "solve_step.hpp"

namespace heddle {

namespace {

void check(const TaskGraph& cycle, std::int64_t values, Memory memory, const Stopping& stopping) {
  if (cycle.size() == 0) throw Error("solve", "the cycle has no tasks", "add tasks to the graph");
  if (values < 1) throw Error("solve", "the measure has no value");
  if ((memory == Memory::device) != (cycle.memory() == Memory::device)) {
    throw Error("solve", "the measure and the tasks are in different memory",
                "put both on the device, or both on the host");
  }
  if (!(stopping.tolerance >= 0) || stopping.most_cycles < 1 || stopping.patience < 1 ||
      !(stopping.least_progress > 0 && stopping.least_progress <= 1)) {
    throw Error("solve", "a limit is out of range",
                "use tolerance >= 0, most_cycles >= 1, patience >= 1, 0 < least_progress <= 1");
  }
}

/// Cycle by cycle, with a look at the measure after each.
template <class T>
Solution step_by_step(TaskGraph& cycle, const Buffer<T>& measure, const Stopping& stopping) {
  Solution solution;
  Stream stream(cycle.memory());
  bool continues = true;
  while (continues) {
    cycle(stream);
    stream.synchronise();
    const std::vector<T> values = measure.to_host();
    continues =
        advance(solution, largest_of(values.data(), static_cast<std::int64_t>(values.size())), stopping);
  }
  return solution;
}

template <class T> Solution solve_any(TaskGraph& cycle, const Buffer<T>& measure, const Stopping& stopping) {
  check(cycle, measure.size(), measure.memory(), stopping);
  if constexpr (with_cuda) {
    if (measure.memory() == Memory::device && gpu::loops_in_graphs())
      return gpu::loop([&cycle](Stream& stream) { cycle(stream); }, measure.data(), measure.size(), stopping);
  }
  return step_by_step(cycle, measure, stopping);
}

} // namespace

Solution solve(TaskGraph& cycle, const Buffer<float>& measure, const Stopping& stopping) {
  return solve_any(cycle, measure, stopping);
}

Solution solve(TaskGraph& cycle, const Buffer<double>& measure, const Stopping& stopping) {
  return solve_any(cycle, measure, stopping);
}

Solution refine(TaskGraph& defect, const Buffer<double>& measure, const std::function<void()>& correction,
                TaskGraph& correct, const Stopping& stopping) {
  check(defect, measure.size(), measure.memory(), stopping);
  if (!correction) throw Error("refine", "the correction is empty", "pass a callable object");
  Solution solution;
  Stream stream(defect.memory());
  while (true) {
    defect(stream);
    stream.synchronise();
    const std::vector<double> values = measure.to_host();
    if (!advance(solution, largest_of(values.data(), measure.size()), stopping)) return solution;
    correction();
    correct(stream);
    stream.synchronise();
  }
}

std::string to_string(Outcome outcome) {
  switch (outcome) {
  case Outcome::running:
    return "running";
  case Outcome::converged:
    return "converged";
  case Outcome::stalled:
    return "stalled above the tolerance: no precision is left, or the equation has no solution";
  case Outcome::exhausted:
    return "not converged";
  case Outcome::diverged:
    return "diverged";
  }
  return "unknown";
}

std::string to_string(const Solution& solution) {
  std::ostringstream text;
  text << to_string(solution.outcome) << " after " << solution.cycles << " cycles, measure "
       << solution.measure;
  return text.str();
}

} // namespace heddle
