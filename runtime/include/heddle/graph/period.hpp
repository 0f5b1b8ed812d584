// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRAPH_PERIOD_HPP
#define HEDDLE_GRAPH_PERIOD_HPP

#include <cstdint>
#include <string>

namespace heddle {

/// In which iterations of a TaskGraph a task runs: in those whose number, counted from 0 over all runs of the
/// graph, is a multiple of `every`. These are its triggers.
///
/// lag = 0: it runs there, in its place among the other tasks.
///
/// lag = 1: a trigger publishes what the trigger before has begun, copies what the task reads, and begins the
/// task on these copies, in the background. Other tasks therefore read the result of the trigger before until
/// the next trigger: trigger k publishes what belongs to the inputs of trigger k - 1. The first trigger
/// computes at once and publishes its own result, which then stays for two periods. So the values of step s
/// depend on s alone, never on time. This is another model than lag = 0, which somebody has to ask for.
struct Period {
  std::int64_t every = 1;
  int lag = 0;
  /// Of a task on the host with lag = 1: OpenMP's threads for it, at least 1. While it runs, the tasks of the
  /// graph leave that many to it, as far as one stays for them.
  int threads = 1;
};

/// What a task with lag = 1 has done so far.
struct LaggedReport {
  std::int64_t triggers = 0;
  /// Of these, those that computed at once: the first one, and those at which the shape of a field or an
  /// argument of the task had changed.
  std::int64_t synchronous = 0;
  std::int64_t waits = 0; // triggers that came before the task was done; on a device, as far as it is known
  double waited_seconds = 0; // by them
  std::int64_t bytes = 0;    // of memory, for the copies
};

/// "12 triggers, 1 synchronous, 2 waited 0.013 s, 4194304 bytes of copies".
[[nodiscard]] std::string to_string(const LaggedReport& report);

} // namespace heddle

#endif
