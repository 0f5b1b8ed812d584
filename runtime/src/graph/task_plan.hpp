// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_TASK_PLAN_HPP
#define HEDDLE_SRC_GRAPH_TASK_PLAN_HPP

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heddle/graph/task_node.hpp"

namespace heddle {

/// What a TaskGraph really runs: a task, or a part of one. Predecessors by place in the list.
struct TaskStep {
  enum class Kind { start, border, whole, interior, finish };

  std::string name;
  Kind kind = Kind::whole;
  std::function<void(Stream&)> run;
  Memory memory = Memory::host;
  bool waits = true; // device: host code, before and after which its stream is waited for
  int device = 0;
  std::size_t exchange = 0; // start, finish: a number for the two
  /// See HaloSteps; empty where nothing in the stream waits for other ranks.
  std::function<std::string()> waits_for;
  std::function<void()> abort;
  std::function<void()> verify; // see HaloSteps
  std::vector<std::size_t> predecessors;

  [[nodiscard]] bool urgent() const noexcept { return kind != Kind::whole && kind != Kind::interior; }
};

struct PlanOptions {
  bool overlap = true;
  bool device = false;
  std::int64_t iterations = 1; // so many follow each other in the plan
  /// A step costs little: each box of a border is one, so that a device computes them side by side, and each
  /// tile of an interior, so that tiles of a step begin where the step before has ended.
  bool fine = false;
  int interior_tiles = 0;       // see TaskGraphOptions
  std::vector<bool> left_out{}; // tasks that have no part in these iterations; empty: none
};

/// Splits exchanges that send messages into start and finish, and sweeps into border and interior, and orders
/// all by what each part touches: ghost cells, border, interior. The list is in the order in which to begin
/// them: what others wait for first, and finish after something has been computed meanwhile.
///
/// No two ranks wait for each other, though each makes its own plan: exchanges start in the order in which
/// they were added, and none is finished before all that were added earlier have started.
[[nodiscard]] std::vector<TaskStep> plan_tasks(std::span<const TaskNode> nodes, const PlanOptions& options);

} // namespace heddle

#endif
