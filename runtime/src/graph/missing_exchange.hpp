// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_MISSING_EXCHANGE_HPP
#define HEDDLE_SRC_GRAPH_MISSING_EXCHANGE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/graph/task_node.hpp"
#include "heddle/grid/halo_state.hpp"
#include "heddle/grid/halo_watch.hpp"

namespace heddle {

/// Follows what the runs of a graph need of the ghost layers of its fields, and how they leave them. A task
/// that is no sweep, writes a field and does not say how far it reaches counts as bringing its ghost layers
/// up to date, whatever it does.
class MissingExchange {
public:
  /// tasks: in the order in which they run; they must outlive this.
  MissingExchange(std::string_view graph, const std::vector<const TaskNode*>& tasks);

  /// Before a run of n iterations, of which `first` is the first. Throws Error for a sweep over whole blocks
  /// that reads, beyond its block, what has changed since the last exchange, in this run or before it; or
  /// what another sweep wrote to ghost cells and no exchange has taken to the owners.
  void check(std::int64_t first, std::int64_t n);
  /// After this run: its fields know how it has left them.
  void settle() const;

private:
  struct Touch {
    std::size_t field; // in fields_
    const TaskNode::Access* access;
    HaloState::Cells of_others; // see cells_of_others
  };
  struct Task {
    const TaskNode* node;
    std::vector<Touch> touches{};
    std::optional<bool> toward_owners{}; // of an exchange
    HaloState::Cells layers = HaloState::every_layer;
  };
  /// What is known while the run is followed: the sweeps of which HaloState speaks.
  struct Known {
    const std::string* changed_by = nullptr;
    const std::string* pushed_by = nullptr;
    HaloState::Cells exchanged{}; // layers, since it changed
  };

  void follow(std::int64_t iteration);
  [[noreturn]] void refuse(const Task& task, const Touch& touch, bool pushed) const;

  std::string graph_;
  std::vector<Task> tasks_;
  std::vector<std::string> sweeps_; // of each task: its name and that of the graph
  std::vector<HaloState*> fields_;  // null: of what does not keep one
  std::vector<bool> exchanged_;     // whether any task of the graph brings it to the ghost layers
  std::vector<Known> known_;
  bool periodic_ = false;
};

} // namespace heddle

#endif
