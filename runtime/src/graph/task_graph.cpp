// SPDX-License-Identifier: Apache-2.0
#include "heddle/graph/task_graph.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "heddle/core/error.hpp"
#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/printable.hpp"
#include "task_graph_plans.hpp"

namespace heddle {

TaskGraph::TaskGraph(TaskGraphOptions options) : options_(std::move(options)) {
  if (options_.threads < 1)
    throw Error("TaskGraph", std::to_string(options_.threads) + " threads are not valid", "use at least 1");
  if (options_.unroll < 0)
    throw Error("TaskGraph", std::to_string(options_.unroll) + " unrolled iterations are not valid",
                "use 0 or more");
  if (options_.interior_tiles < 0)
    throw Error("TaskGraph", std::to_string(options_.interior_tiles) + " interior tiles are not valid",
                "use 0 or more");
  if (options_.shuffle != 0 && (options_.memory == Memory::device || options_.threads > 1))
    throw Error("TaskGraph", "shuffle needs a graph on one host thread", "use threads = 1 and host memory");
  if (options_.memory == Memory::device) {
    if (options_.threads > 1)
      throw Error("TaskGraph", "a device graph runs in streams and cannot use several threads",
                  "use threads = 1");
    if (!built_with_cuda()) {
      throw Error("TaskGraph", "this heddle::runtime was built without CUDA",
                  "configure with -DHEDDLE_CUDA=ON");
    }
  }
}

TaskGraph::~TaskGraph() = default;
TaskGraph::TaskGraph(TaskGraph&&) noexcept = default;
TaskGraph& TaskGraph::operator=(TaskGraph&&) noexcept = default;

void TaskGraph::check(std::size_t task, const char* where) const {
  if (task < nodes_.size()) return;
  throw Error(where, "task " + std::to_string(task) + " does not exist; there are " +
                         std::to_string(nodes_.size()) + " tasks");
}

void TaskGraph::refuse_itself(const TaskGraph& task) const {
  if (&task == this)
    throw Error("TaskGraph::add", "graph '" + options_.name + "' cannot contain itself", "add another graph");
}

std::size_t TaskGraph::add(std::string name, const std::vector<FieldAccess>& accesses,
                           std::function<void(Stream&)> function, Memory memory) {
  if (!function)
    throw Error("TaskGraph::add", "task '" + name + "' has no function", "pass a callable object");
  TaskNode node;
  node.name = std::move(name);
  node.function = std::move(function);
  node.memory = memory;
  node.takes_versions = [] { return false; };
  node.arguments = [] { return std::string(); };
  if (options_.memory == Memory::device) node.device = gpu::current_device();
  for (const FieldAccess& access : accesses) {
    if (access.object == nullptr) {
      throw Error("TaskGraph::add",
                  "task '" + node.name + "' accesses '" + std::string(access.name) +
                      "', whose address is null",
                  "pass the address of an existing object");
    }
    node.accesses.push_back({access.object, std::string(access.name), access.mode, access.reach,
                             access.cells(), access.object.kind(), access.object.halo()});
    if (access.object.lifetime() != nullptr)
      node.accesses.back().lifetime = access.object.lifetime()->watch();
  }
  // Back to the last task that writes the same object: what came before that one follows through it.
  for (const TaskNode::Access& access : node.accesses) {
    for (std::size_t j = nodes_.size(); j-- > 0;) {
      bool reads = false;
      bool writes = false;
      for (const TaskNode::Access& other : nodes_[j].accesses) {
        if (other.object != access.object) continue;
        (other.mode == AccessMode::write ? writes : reads) = true;
      }
      if (writes || (reads && access.mode == AccessMode::write)) node.predecessors.push_back(j);
      if (writes) break;
    }
  }
  std::sort(node.predecessors.begin(), node.predecessors.end());
  node.predecessors.erase(std::unique(node.predecessors.begin(), node.predecessors.end()),
                          node.predecessors.end());
  nodes_.push_back(std::move(node));
  forget_plans();
  return nodes_.size() - 1;
}

void TaskGraph::order(std::size_t earlier, std::size_t later) {
  check(earlier, "TaskGraph::order");
  check(later, "TaskGraph::order");
  std::vector<std::size_t>& before = nodes_[later].predecessors;
  const auto place = std::lower_bound(before.begin(), before.end(), earlier);
  if (place == before.end() || *place != earlier) before.insert(place, earlier);
  nodes_[later].ordered.push_back(earlier);
  forget_plans();
}

std::vector<std::size_t> TaskGraph::predecessors(std::size_t task) const {
  check(task, "TaskGraph::predecessors");
  return nodes_[task].predecessors;
}

std::vector<std::size_t> TaskGraph::sequence() const {
  const std::vector<std::vector<std::size_t>> successors = successors_of(nodes_);
  std::vector<std::size_t> missing(nodes_.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    missing[i] = nodes_[i].predecessors.size();
    if (missing[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (const std::size_t s : successors[i]) {
      if (--missing[s] == 0) ready.push(s);
    }
  }
  if (order.size() == nodes_.size()) return order;

  // Every task left waits for another one left: walking from one to such a predecessor ends in a cycle.
  std::size_t at = 0;
  while (missing[at] == 0)
    ++at;
  std::vector<std::size_t> path;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    const std::vector<std::size_t>& before = nodes_[at].predecessors;
    at = *std::find_if(before.begin(), before.end(), [&](std::size_t p) { return missing[p] > 0; });
  }
  std::string names = "'" + nodes_[at].name + "'";
  for (auto i = path.rbegin(); *i != at; ++i)
    names += " -> '" + nodes_[*i].name + "'";
  throw Error("TaskGraph",
              "the dependences of the tasks form a cycle: " + names + " -> '" + nodes_[at].name + "'",
              "remove the order() that contradicts the declared accesses");
}

std::vector<std::vector<std::size_t>> TaskGraph::reduced(const std::vector<std::size_t>& sequence) const {
  std::vector<std::vector<bool>> behind(nodes_.size(),
                                        std::vector<bool>(nodes_.size(), false)); // all ancestors
  std::vector<std::vector<std::size_t>> direct(nodes_.size());
  for (const std::size_t i : sequence) {
    for (const std::size_t p : nodes_[i].predecessors) {
      for (std::size_t a = 0; a < nodes_.size(); ++a) {
        if (behind[p][a]) behind[i][a] = true;
      }
    }
    for (const std::size_t p : nodes_[i].predecessors) {
      if (!behind[i][p]) direct[i].push_back(p);
    }
    for (const std::size_t p : nodes_[i].predecessors)
      behind[i][p] = true;
  }
  return direct;
}

void TaskGraph::forget_plans() noexcept {
  plans_.reset();
}

/// Throws Error for a task or an object that the graph keeps by reference and that has ended.
void TaskGraph::require_alive() const {
  const auto ended = [](const std::optional<std::weak_ptr<const void>>& lifetime) {
    return lifetime && lifetime->expired();
  };
  for (const TaskNode& node : nodes_) {
    if (ended(node.lifetime)) {
      throw Error("TaskGraph",
                  "task '" + node.name + "' of graph '" + options_.name +
                      "' has ended: the graph "
                      "keeps what has a name by reference",
                  "let it live as long as the graph, or hand it over: graph.add(std::move(task))");
    }
    for (const auto& [what, lifetime] : node.uses) {
      if (!lifetime.expired()) continue;
      throw Error("TaskGraph",
                  what + " that task '" + node.name + "' of graph '" + options_.name + "' uses has ended",
                  "let it live as long as the sweeps and graphs that use it");
    }
    for (const TaskNode::Access& access : node.accesses) {
      if (!ended(access.lifetime)) continue;
      throw Error("TaskGraph",
                  "'" + access.name + "', which task '" + node.name + "' of graph '" + options_.name +
                      "' accesses, has ended",
                  "let fields, tables and results live as long as the sweeps and graphs that use them");
    }
  }
}

/// In an order in which they may run; those of a graph in its place.
std::vector<const TaskNode*> TaskGraph::tasks() const {
  std::vector<const TaskNode*> all;
  for (const std::size_t i : sequence()) {
    if (!nodes_[i].tasks) {
      all.push_back(&nodes_[i]);
      continue;
    }
    const std::vector<const TaskNode*> within = nodes_[i].tasks();
    all.insert(all.end(), within.begin(), within.end());
  }
  return all;
}

std::string TaskGraph::to_dot() const {
  std::string dot = "digraph " + in_quotes(options_.name) + " {\n";
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::string reads;
    std::string writes;
    for (const TaskNode::Access& access : nodes_[i].accesses) {
      (access.mode == AccessMode::read ? reads : writes) += " " + access.name;
    }
    std::string label = nodes_[i].name;
    if (nodes_[i].periodic()) label += " every " + std::to_string(nodes_[i].period.every);
    if (nodes_[i].lagged) label += ", lag 1";
    if (!reads.empty()) label += "; reads" + reads;
    if (!writes.empty()) label += "; writes" + writes;
    dot += "  t" + std::to_string(i) + " [label=" + in_quotes(label) + "];\n";
  }
  const std::vector<std::vector<std::size_t>> direct = reduced(sequence());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const std::size_t p : direct[i]) {
      dot += "  t" + std::to_string(p) + " -> t" + std::to_string(i) + ";\n";
    }
  }
  return dot + "}\n";
}

Memory TaskGraph::memory() const noexcept {
  const bool device = !nodes_.empty() && std::all_of(nodes_.begin(), nodes_.end(), [](const TaskNode& node) {
    return node.memory == Memory::device && !node.periodic();
  });
  return device ? Memory::device : Memory::host;
}

std::vector<FieldAccess> TaskGraph::accesses() const {
  std::vector<FieldAccess> all;
  for (const TaskNode& node : nodes_) {
    for (const TaskNode::Access& access : node.accesses) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const FieldAccess& other) {
        return other.object == access.object && other.mode == access.mode;
      });
      if (!known) all.push_back({{access.object, access.kind, access.halo}, access.name, access.mode});
    }
  }
  return all;
}

} // namespace heddle
