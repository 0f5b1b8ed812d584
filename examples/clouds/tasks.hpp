// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_TASKS_HPP
#define HEDDLE_CLOUDS_TASKS_HPP

#include <cstdint>
#include <optional>
#include <utility>

#include "heddle/graph/task_graph.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/transport/transport.hpp"

namespace clouds {

/// A graph of tasks, of which one may set the length of a step for the others.
class Tasks {
public:
  /// transport must outlive this. in_line: each task waits for the one before it.
  Tasks(heddle::TaskGraphOptions options, heddle::Transport& transport, bool in_line)
      : graph_(std::move(options)), transport_(&transport), in_line_(in_line) {}

  template <class Task> std::size_t put(Task&& task) {
    const std::size_t number = graph_.add(std::forward<Task>(task));
    if (in_line_ && number > 0) graph_.order(number - 1, number);
    return number;
  }
  /// The task that sets the length.
  template <class Clock> void put_clock(Clock&& clock) { clock_ = put(std::forward<Clock>(clock)); }
  /// A sweep that may take the length of the step, with the exchange before it, if it has one.
  template <class Sweep> void add(Sweep sweep) {
    if constexpr (requires { sweep.before(); }) put(heddle::HaloExchange(sweep.before(), *transport_));
    const std::size_t task = put(std::move(sweep));
    if (clock_) graph_.order(*clock_, task); // tables are no declared accesses
  }
  void run(std::int64_t times) { graph_.run(times); }

private:
  heddle::TaskGraph graph_;
  heddle::Transport* transport_;
  bool in_line_;
  std::optional<std::size_t> clock_;
};

} // namespace clouds

#endif
