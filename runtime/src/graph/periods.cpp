// SPDX-License-Identifier: Apache-2.0
// Tasks with periods: in which iterations of a graph which of them run, and those that lag.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "lagged_task.hpp"

namespace heddle {

namespace {

bool accesses(const TaskNode& node, const void* object, AccessMode mode) {
  return std::ranges::any_of(node.accesses, [&](const TaskNode::Access& access) {
    return access.object == object && access.mode == mode;
  });
}

/// Throws Error unless a task can run on copies of what it accesses.
void require_versions(const TaskNode& node) {
  const auto refuse = [&](const std::string& what, const char* hint) {
    throw Error("TaskGraph::add", "task '" + node.name + "' cannot lag: " + what, hint);
  };
  if (node.halo) refuse("it exchanges ghost cells", "exchange them in the tasks around it");
  if (!node.takes_versions()) {
    refuse("it does not work on copies of its fields",
           "let it take them as stream.version(field), and declare `static constexpr bool takes_versions = "
           "true;`");
  }
  for (const TaskNode::Access& access : node.accesses) {
    if (access.kind == nullptr)
      refuse("'" + access.name + "' cannot be copied",
             "let it access a Field, SparseField, Profile or Buffer");
    const bool input = node.inputs ? std::ranges::find(*node.inputs, access.object) != node.inputs->end()
                                   : accesses(node, access.object, AccessMode::read);
    if (input && accesses(node, access.object, AccessMode::write)) {
      refuse("it updates '" + access.name + "' in place, and a late result would undo what others did to it",
             "let it write a tendency, which another task adds in each iteration");
    }
  }
}

} // namespace

void TaskGraph::repeat_with(std::size_t task, const Period& period) {
  TaskNode& node = nodes_[task];
  const auto refuse = [&](const std::string& what, const char* hint) {
    throw Error("TaskGraph::add", "task '" + node.name + "': " + what, hint);
  };
  try {
    if (period.every < 1)
      refuse("every " + std::to_string(period.every) + " iterations is not valid", "use 1 or more");
    if (period.lag != 0 && period.lag != 1)
      refuse("a lag of " + std::to_string(period.lag) + " periods is not valid", "use 0 or 1");
    if (period.threads < 1)
      refuse(std::to_string(period.threads) + " threads are not valid", "use at least 1");
    if (period.lag == 1) {
      require_versions(node);
      if (options_.capture == Capture::on && period.every == 1 && options_.memory == Memory::device)
        refuse("it lags and is begun in each iteration, so that none can be captured",
               "use Capture::automatic");
      const bool stream = options_.memory == Memory::device && node.memory == Memory::device;
      node.lagged = std::make_shared<LaggedTask>(
          node, period.threads, stream, Background::Place{node.name, options_.trace, options_.trace_process});
      node.function = [lagged = node.lagged.get()](Stream& on) { lagged->trigger(on); };
      node.parts.reset();
      node.name += " trigger";
    }
  } catch (...) {
    nodes_.pop_back();
    throw;
  }
  node.period = period;
}

bool TaskGraph::periodic() const noexcept {
  return std::ranges::any_of(nodes_, &TaskNode::periodic);
}

/// The tasks that have no part in an iteration; -1: in one without triggers.
std::vector<bool> TaskGraph::left_out(std::int64_t iteration) const {
  std::vector<bool> out;
  for (const TaskNode& node : nodes_)
    out.push_back(node.periodic() && (iteration < 0 || iteration % node.period.every != 0));
  return out;
}

/// The first iteration, this one or a later one, in which a task with a period runs.
std::int64_t TaskGraph::next_trigger(std::int64_t iteration) const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const TaskNode& node : nodes_) {
    if (!node.periodic()) continue;
    const std::int64_t since = iteration % node.period.every;
    next = std::min(next, since == 0 ? iteration : iteration - since + node.period.every);
  }
  return next;
}

/// The tasks of the host leave threads to what lags, one at least stays for them.
int TaskGraph::computing_threads(int all) const {
  for (const TaskNode& node : nodes_) {
    if (node.lagged) all -= node.lagged->busy_threads();
  }
  return std::max(all, 1);
}

void TaskGraph::finish() {
  for (const TaskNode& node : nodes_) {
    if (node.lagged) node.lagged->finish();
  }
}

LaggedReport TaskGraph::lagged(std::size_t task) const {
  check(task, "TaskGraph::lagged");
  if (!nodes_[task].lagged)
    throw Error("TaskGraph::lagged", "task '" + nodes_[task].name + "' does not lag",
                "add it with {.lag = 1}");
  return nodes_[task].lagged->report();
}

TaskGraph::State TaskGraph::state() {
  State state{&iterations_, {}};
  for (const TaskNode& node : nodes_) {
    if (node.lagged) state.lagged.push_back(&node.lagged->state());
  }
  return state;
}

bool TaskGraph::may_lag() const {
  return std::ranges::all_of(
      nodes_, [](const TaskNode& node) { return node.takes_versions() && !node.halo && !node.periodic(); });
}

std::function<void(Stream&)> TaskGraph::copied() const {
  std::vector<std::function<void(Stream&)>> calls;
  for (const std::size_t i : sequence())
    calls.push_back(nodes_[i].copied());
  return [calls = std::move(calls)](Stream& stream) {
    for (const std::function<void(Stream&)>& call : calls)
      call(stream);
  };
}

std::string TaskGraph::arguments() const {
  std::string all;
  for (const TaskNode& node : nodes_)
    all += node.arguments();
  return all;
}

/// What it reads before it writes it.
std::vector<const void*> TaskGraph::inputs() const {
  std::vector<const void*> found;
  std::vector<const void*> written;
  for (const std::size_t i : sequence()) {
    for (const TaskNode::Access& access : nodes_[i].accesses) {
      if (access.mode == AccessMode::read && std::ranges::find(written, access.object) == written.end())
        found.push_back(access.object);
    }
    for (const TaskNode::Access& access : nodes_[i].accesses) {
      if (access.mode == AccessMode::write) written.push_back(access.object);
    }
  }
  return found;
}

} // namespace heddle
