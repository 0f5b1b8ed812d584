// SPDX-License-Identifier: Apache-2.0
// Solves of Poisson problems, beside a copy of the field, which moves it twice.
#ifndef HEDDLE_BENCHMARKS_POISSON_CASE_HPP
#define HEDDLE_BENCHMARKS_POISSON_CASE_HPP

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/poisson/poisson.hpp"
#include "measure.hpp"

namespace bench {

/// A solver and a field that has room for its modes.
template <class Real> class PoissonRun {
public:
  PoissonRun(const heddle::PoissonProblem& problem, heddle::Memory memory, heddle::TransformBackEnd back_end)
      : solver_(problem, memory, back_end), field_(solver_.size(), memory), copy_(solver_.size(), memory),
        right_(static_cast<std::size_t>(solver_.size())) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Real& value : right_)
      value = static_cast<Real>(uniform(generator));
    restore();
  }

  /// Random numbers again: a field that is solved again and again becomes smooth, then subnormal.
  void restore() {
    heddle::copy_bytes(field_.data(), field_.memory(), right_.data(), heddle::Memory::host, field_.bytes());
  }
  void solve(heddle::Stream& stream) { solver_.solve(field_.data(), stream); }
  void forward(heddle::Stream& stream) { solver_.forward(field_.data(), stream); }
  void columns(heddle::Stream& stream) { solver_.columns(field_.data(), stream); }
  void inverse(heddle::Stream& stream) { solver_.inverse(field_.data(), stream); }
  Real* field() { return field_.data(); }
  Real* copy() { return copy_.data(); }
  std::size_t bytes() const { return field_.bytes(); }
  std::int64_t solver_bytes() const { return solver_.workspace_bytes(); }

private:
  heddle::PoissonSolver<Real> solver_;
  heddle::Buffer<Real> field_, copy_;
  std::vector<Real> right_;
};

/// What one case measures: the solve, its parts, and a copy of the field.
struct PoissonTimes {
  std::function<void()> restore;
  Timed solve, forward, columns, inverse, copy;
  std::function<double()> bytes_per_cell; ///< field and solver, once it has solved
};

/// Registers a case: milliseconds of the solve, of its parts and of the copy, and the solve in passes of the
/// copy.
inline void add_poisson(const std::string& name, int rounds, std::function<PoissonTimes()> make) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 const PoissonTimes times = make();
                                 std::vector<double> solve, forward, columns, inverse, copy;
                                 for (int i = 0; i < 3; ++i)
                                   times.solve();
                                 times.restore();
                                 for (auto _ : state) {
                                   times.restore();
                                   copy.push_back(times.copy());
                                   forward.push_back(times.forward());
                                   columns.push_back(times.columns());
                                   inverse.push_back(times.inverse());
                                   times.restore();
                                   solve.push_back(times.solve());
                                   state.SetIterationTime(solve.back());
                                 }
                                 state.counters["ms"] = 1e3 * median(solve);
                                 state.counters["forward_ms"] = 1e3 * median(forward);
                                 state.counters["columns_ms"] = 1e3 * median(columns);
                                 state.counters["inverse_ms"] = 1e3 * median(inverse);
                                 state.counters["copy_ms"] = 1e3 * median(copy);
                                 state.counters["passes"] = 2 * median(solve) / median(copy);
                                 state.counters["B/cell"] = times.bytes_per_cell();
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(rounds);
}

/// One run of a problem, timed by `seconds(work)`.
template <class Real, class Seconds, class Copy>
PoissonTimes poisson_times(const heddle::PoissonProblem& problem, heddle::Memory memory,
                           heddle::TransformBackEnd back_end, Seconds seconds, Copy copy) {
  auto run = std::make_shared<PoissonRun<Real>>(problem, memory, back_end);
  auto stream = std::make_shared<heddle::Stream>(memory);
  const auto timed = [=](void (PoissonRun<Real>::*part)(heddle::Stream&)) {
    return [=] { return seconds(*stream, [&] { (run.get()->*part)(*stream); }); };
  };
  using Run = PoissonRun<Real>;
  PoissonTimes times;
  times.restore = [=] { run->restore(); };
  times.solve = timed(&Run::solve);
  times.forward = timed(&Run::forward);
  times.columns = timed(&Run::columns);
  times.inverse = timed(&Run::inverse);
  times.copy = [=] { return seconds(*stream, [&] { copy(*run, *stream); }); };
  const auto cells = static_cast<double>(problem.x.unknowns * problem.y.unknowns * problem.z.unknowns());
  times.bytes_per_cell = [=] {
    return (static_cast<double>(run->bytes()) + static_cast<double>(run->solver_bytes())) / cells;
  };
  return times;
}

} // namespace bench

#endif
