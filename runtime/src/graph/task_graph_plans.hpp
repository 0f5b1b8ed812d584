// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_TASK_GRAPH_PLANS_HPP
#define HEDDLE_SRC_GRAPH_TASK_GRAPH_PLANS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device_schedule.hpp"
#include "heddle/graph/task_graph.hpp"
#include "missing_exchange.hpp"
#include "overlap_autotuner.hpp"
#include "task_plan.hpp"

namespace heddle {

/// What is run; made by the first run and forgotten when a task is added.
struct TaskGraph::Plan {
  std::vector<TaskStep> steps;
  // Of a device graph: streams, events and, with Capture::on, the recorded graph.
  std::unique_ptr<DeviceSchedule> schedule;
  std::unique_ptr<DeviceSchedule> recorded; // with Capture::automatic for one run, with Capture::once for all
  bool warm = false; // has run: what its tasks do the first time they need not do in a capture
};

/// So many plans of so many iterations, one after the other.
struct TaskGraph::Repetition {
  std::int64_t iterations = 1;
  std::int64_t times = 1;
  std::int64_t in_run = 0;      // times, those of other repetitions of the same plan in this run too
  std::vector<bool> left_out{}; // see PlanOptions
  bool triggers = false;        // there are tasks that do something else each time
};

/// With overlap or without, of one iteration or of several, and what is known of the better way.
struct TaskGraph::Plans {
  struct Way {
    std::unique_ptr<Plan> one;
    std::unique_ptr<Plan> unrolled;
    std::map<std::vector<bool>, std::unique_ptr<Plan>> triggers; // by the tasks that are left out
  };
  std::array<Way, 2> ways;
  OverlapAutotuner trial;
  std::optional<bool> measures;             // whether ways are compared
  std::optional<MissingExchange> exchanges; // once a run has looked for them
  int vain_recordings = 0;
  std::string vain;                   // why the last one was
  std::vector<DeviceSchedule*> begun; // by this run, and not waited for; the last one last

  void forget_recordings() noexcept {
    for (Way& way : ways) {
      for (Plan* plan : {way.one.get(), way.unrolled.get()}) {
        if (plan != nullptr) plan->recorded.reset();
      }
    }
  }
};

/// For each task, or step, those that wait for it. Tasks: they have predecessors.
template <class Tasks> [[nodiscard]] std::vector<std::vector<std::size_t>> successors_of(const Tasks& tasks) {
  std::vector<std::vector<std::size_t>> successors(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (const std::size_t p : tasks[i].predecessors)
      successors[p].push_back(i);
  }
  return successors;
}

} // namespace heddle

#endif
