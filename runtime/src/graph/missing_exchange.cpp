// SPDX-License-Identifier: Apache-2.0
#include "missing_exchange.hpp"

#include <algorithm>

#include "heddle/core/error.hpp"
#include "heddle/halo/halo_steps.hpp"

namespace heddle {

MissingExchange::MissingExchange(std::string_view graph, const std::vector<const TaskNode*>& tasks)
    : graph_(graph) {
  std::vector<const void*> objects; // of fields_
  for (const TaskNode* node : tasks) {
    for (const TaskNode::Access& access : node->accesses) {
      const auto known = std::ranges::find(objects, access.object);
      const auto number = static_cast<std::size_t>(known - objects.begin());
      if (known == objects.end()) {
        objects.push_back(access.object);
        fields_.push_back(nullptr);
      }
      if (access.halo != nullptr) fields_[number] = access.halo; // an exchange does not say it
    }
  }
  for (const TaskNode* node : tasks) {
    Task task{.node = node};
    for (const TaskNode::Access& access : node->accesses) {
      const auto found = std::ranges::find(objects, access.object);
      task.touches.push_back(
          {static_cast<std::size_t>(found - objects.begin()), &access,
           node->domain ? cells_of_others(*node->domain, access.cells) : HaloState::Cells{}});
    }
    if (task.touches.empty()) continue;
    // What the task reads comes before what it writes.
    std::ranges::stable_partition(task.touches,
                                  [](const Touch& touch) { return touch.access->mode == AccessMode::read; });
    if (node->halo) {
      const HaloSteps steps = node->halo();
      task.toward_owners = steps.toward_owners;
      if (steps.grid != nullptr) task.layers = steps.layers;
    }
    periodic_ = periodic_ || node->periodic();
    tasks_.push_back(std::move(task));
    sweeps_.push_back("'" + node->name + "' of graph '" + graph_ + "'");
  }
  known_.resize(fields_.size());
  exchanged_.resize(fields_.size());
  for (const Task& task : tasks_) {
    for (const Touch& touch : task.touches) {
      if (!task.node->domain && touch.access->mode == AccessMode::write && task.toward_owners != true)
        exchanged_[touch.field] = true;
    }
  }
}

void MissingExchange::check(std::int64_t first, std::int64_t n) {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    known_[i] = {};
    if (fields_[i] == nullptr) continue;
    const HaloState& state = *fields_[i];
    known_[i] = {state.changed_by().empty() ? nullptr : &state.changed_by(),
                 state.pushed_by().empty() ? nullptr : &state.pushed_by(), state.exchanged()};
  }
  // Iterations are alike, but for those in which tasks with periods run.
  const std::int64_t early = std::min<std::int64_t>(n, 2);
  const std::int64_t late = periodic_ ? std::min<std::int64_t>(n - early, 2) : 0;
  for (std::int64_t i = 0; i < early; ++i)
    follow(first + i);
  for (std::int64_t i = n - late; i < n; ++i)
    follow(first + i);
}

void MissingExchange::settle() const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i] == nullptr) continue;
    HaloState& state = *fields_[i];
    const auto& [changed, pushed, exchanged] = known_[i];
    if (changed == nullptr)
      state.filled();
    else if (changed != &state.changed_by())
      state.changed(*changed);
    state.filled(exchanged);
    if (pushed == nullptr)
      state.returned();
    else if (pushed != &state.pushed_by())
      state.pushed(*pushed);
  }
}

/// One iteration.
void MissingExchange::follow(std::int64_t iteration) {
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    const Task& task = tasks_[t];
    if (task.node->periodic() && iteration % task.node->period.every != 0) continue;
    for (const Touch& touch : task.touches) {
      Known& known = known_[touch.field];
      const bool reads = touch.access->mode == AccessMode::read;
      if (!task.node->domain) {
        if (reads) continue;
        if (!task.toward_owners) {
          // Only its author knows; but one that says how far it reaches is no exchange.
          if (touch.access->reach == FieldAccess::anywhere) known = {};
        } else if (*task.toward_owners) {
          known.pushed_by = nullptr;
        } else {
          known.exchanged = HaloState::most(known.exchanged, task.layers);
        }
        continue;
      }
      // What a sweep over some cells reaches may lie outside of the domain alone, as that of a lid or an
      // inlet: an exchange before it in the graph then does as well as one after it.
      const SweepCover& domain = *task.node->domain;
      if (domain.some_cells && (reads || (touch.access->reach != 0 && exchanged_[touch.field]))) continue;
      if (reads) {
        if (known.pushed_by != nullptr) refuse(task, touch, true);
        if (known.changed_by != nullptr && beyond(touch.of_others, known.exchanged))
          refuse(task, touch, false);
        continue;
      }
      known.changed_by = &sweeps_[t];
      known.exchanged = {};
      if (!domain.some_cells && beyond(touch.of_others, {})) known.pushed_by = &sweeps_[t];
    }
  }
}

void MissingExchange::refuse(const Task& task, const Touch& touch, bool pushed) const {
  const Known& known = known_[touch.field];
  const std::string reader = "'" + task.node->name + "' of graph '" + graph_ + "'";
  if (pushed) throw missing_return("TaskGraph", reader, touch.access->name, *known.pushed_by);
  throw missing_exchange("TaskGraph", reader, touch.access->name, *known.changed_by, known.exchanged);
}

} // namespace heddle
