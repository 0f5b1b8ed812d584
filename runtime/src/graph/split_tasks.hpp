// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_SPLIT_TASKS_HPP
#define HEDDLE_SRC_GRAPH_SPLIT_TASKS_HPP

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "heddle/graph/task_node.hpp"
#include "task_plan.hpp"

namespace heddle {

/// What a step touches of a field: regions, a bit each, that it shares with other steps or not.
struct StepAccess {
  const void* object;
  bool writes;
  unsigned regions;
};

/// A step with what the order follows from.
struct SplitStep {
  TaskStep step;
  std::size_t node;
  std::vector<StepAccess> touches;
  std::vector<const void*> filled;
  std::vector<const void*> emptied;
  std::vector<const void*> opened;
  bool apart = false; // of a start: ordered by mailboxes alone, of which it may fill none
  /// Of a finish toward owners, and what opens it, for each field that the sweep before wrote beyond its
  /// blocks: that sweep, if the exchange is the one for it, "... after".
  std::map<const void*, std::size_t> writer{};
  /// Of an interior, for each field that its sweep writes beyond the own cells: the exchange for that sweep,
  /// "... before".
  std::map<const void*, std::size_t> sender{};
};

/// The steps that tasks are taken apart into, iteration after iteration, without predecessors.
[[nodiscard]] std::vector<SplitStep> split_tasks(std::span<const TaskNode> nodes, const PlanOptions& options);

} // namespace heddle

#endif
