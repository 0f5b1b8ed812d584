// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRAPH_TASK_GRAPH_HPP
#define HEDDLE_GRAPH_TASK_GRAPH_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/core/stream.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/graph/capture.hpp"
#include "heddle/graph/overlap.hpp"
#include "heddle/graph/task_node.hpp"
#include "heddle/grid/field_access.hpp"

namespace heddle {

/// A task has a name, declared accesses and a call operator: a sweep, an exchange, another TaskGraph. A task
/// that only enqueues work in the stream, the same in each iteration of a run, may declare this with `Memory
/// memory() const` returning Memory::device. Any other task is host code, before which a device graph waits
/// for the task's dependences.
template <class T>
concept Task = requires(T& task, Stream& stream) {
  { task.name() } -> std::convertible_to<std::string_view>;
  { task.accesses() } -> std::convertible_to<std::vector<FieldAccess>>;
  task(stream);
};

struct TaskGraphOptions {
  std::string name = "graph";
  int threads = 1;              // host: tasks that do not depend on each other run on so many threads
  Memory memory = Memory::host; // device: tasks get device streams, several where they are independent
  Capture capture =
      Capture::automatic; // device, all tasks on the device: record one CUDA graph, launch it each time
  Overlap overlap = Overlap::on; // where an exchange sends messages: compute the interior while they travel
  /// The number of iterations that are planned (and captured) together: the end of one overlaps with the
  /// beginning of the next. 0: four if the graph is captured, else one.
  int unroll = 0;
  Trace* trace = nullptr; // where to note what ran when; must outlive the graph
  int trace_process = 0;  // the process that it is in the picture: a rank
  /// Splits the interiors of dense sweeps into this number of tiles along z, at most 8, if a CUDA graph is
  /// recorded and either interiors are computed while messages travel or nothing is exchanged at all. Each
  /// tile waits only for its neighbours of the step before, so that the end of one step overlaps with the
  /// beginning of the next. Less than three: no tiles. 0: four if each tile has at least 2^18 cells over all
  /// blocks of the rank, else none.
  int interior_tiles = 0;
  /// For tests, on the host: runs the plan of a device, one step after the other, in an order that is drawn
  /// with this seed from all orders that the plan allows. An access that a task does not declare then changes
  /// the bits of the result.
  std::uint64_t shuffle = 0; // 0: in the order of the plan
  /// For tests: the seconds by which Overlap::automatic chooses. None: Trace::now.
  double (*clock)() = nullptr;
};

/// What repeat_until did.
struct IterationResult {
  std::int64_t iterations = 0;
  bool met = false; // the condition held at the end
};

/// Tasks and the order that follows from what they declare. Two tasks of which the later (in the order of
/// add) reads what the earlier writes, writes what it reads, or writes what it writes, run in that order;
/// others may run in any.
///
/// If a HaloExchange sends messages, it and the sweeps around it are split (see overlap of the options):
/// border, interior and ghost cells of a field are then ordered separately, as TaskGraph::steps shows.
/// Exchanges with the name of a sweep, "step before" and "step after", belong to that sweep: cells of other
/// blocks access what they exchange, so the interior of the sweep need not wait for it.
class TaskGraph {
public:
  /// Throws Error for less than one thread, or Memory::device without CUDA.
  explicit TaskGraph(TaskGraphOptions options = {});
  ~TaskGraph();
  TaskGraph(TaskGraph&&) noexcept;
  TaskGraph& operator=(TaskGraph&&) noexcept;
  TaskGraph(const TaskGraph&) = delete;
  TaskGraph& operator=(const TaskGraph&) = delete;

  /// Adds a task and returns its number. An lvalue is kept by reference (it must outlive the graph, and may
  /// change its parameters between runs); an rvalue is moved into the graph. The accesses are read once,
  /// here.
  template <class T>
    requires Task<std::remove_reference_t<T>>
  std::size_t add(T&& task) {
    using Plain = std::remove_reference_t<T>;
    if constexpr (std::is_same_v<Plain, TaskGraph>) refuse_itself(task);
    std::shared_ptr<Plain> owner;
    Plain* object = nullptr;
    if constexpr (std::is_lvalue_reference_v<T>) {
      object = &task;
    } else {
      owner = std::make_shared<Plain>(std::forward<T>(task));
      object = owner.get();
    }
    Memory memory = Memory::host;
    if constexpr (requires {
                    { object->memory() } -> std::convertible_to<Memory>;
                  })
      memory = object->memory();
    const std::size_t number = add(
        std::string(std::string_view(object->name())), object->accesses(),
        [object](Stream& stream) { (*object)(stream); }, memory);
    TaskNode& node = nodes_[number];
    node.owner = std::move(owner);
    if constexpr (requires {
                    object->grid();
                    object->rank();
                  }) {
      node.domain = TaskNode::Domain{&object->grid(), object->rank()};
      if constexpr (requires { Plain::dimensions; }) node.domain->dimensions = Plain::dimensions;
      if constexpr (requires { Plain::over_list; }) node.domain->over_list = Plain::over_list;
      if constexpr (requires { Plain::some_cells; }) node.domain->some_cells = Plain::some_cells;
    }
    if constexpr (requires(Stream& stream, const BlockPart& part) {
                    (*object)(stream, part);
                    object->grid();
                    object->rank();
                  }) {
      node.parts =
          TaskNode::Parts{&object->grid(),
                          object->rank(),
                          [object](Stream& stream, const BlockPart& part) { (*object)(stream, part); },
                          {}};
      if constexpr (requires { Plain::in_boxes; }) node.parts->boxes = Plain::in_boxes;
      if constexpr (requires(const BlockPart& part) {
                      { object->has(part) } -> std::same_as<bool>;
                    })
        node.parts->has = [object](const BlockPart& part) { return object->has(part); };
    }
    if constexpr (requires {
                    { object->steps() } -> std::same_as<HaloSteps>;
                  })
      node.halo = [object] { return object->steps(); };
    return number;
  }

  /// The same from parts. Throws Error for an access without an object or an empty function.
  std::size_t add(std::string name, const std::vector<FieldAccess>& accesses,
                  std::function<void(Stream&)> function, Memory memory = Memory::host);

  /// Adds an order, whatever the accesses say. Throws Error for unknown tasks.
  void order(std::size_t earlier, std::size_t later);

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  /// Tasks on which `task` depends directly, ascending. Throws Error for an unknown task.
  [[nodiscard]] std::vector<std::size_t> predecessors(std::size_t task) const;
  /// A topological order, the one closest to the order of add. Throws Error naming the tasks of a cycle.
  [[nodiscard]] std::vector<std::size_t> sequence() const;

  /// What a run begins one after the other: tasks, and parts of them ("halo start", "step interior", ...);
  /// a recorded graph has some of these in pieces, see TaskGraphOptions::interior_tiles.
  [[nodiscard]] std::vector<std::string> steps() const;

  /// Whether interiors are computed while messages travel, and why. With Overlap::automatic it is known after
  /// 96 iterations (times unroll()), counted in runs of at least 8 (times unroll()).
  [[nodiscard]] OverlapDecision overlap() const;

  /// Whether runs are recorded as a CUDA graph, and why, or why not ("task 'x' runs on the host"; "recording
  /// failed:
  /// ..." once that has been tried in vain).
  [[nodiscard]] CaptureDecision capture() const;
  /// The number of iterations that are planned and captured together.
  [[nodiscard]] int unroll() const;

  /// Runs all tasks n times; all work is done on return. An exception of a task ends the run and is rethrown.
  /// Throws Error, before any task has run, if a sweep over whole blocks reads remote data that sweeps of
  /// this graph change, or writes remote cells, and the graph has neither an exchange of that field nor
  /// another task that declares that it writes it: ghost cells would be those of an earlier step.
  void run(std::int64_t n = 1);

  /// Runs until the condition holds. The condition is tested every `every` iterations; at most `max`
  /// iterations run.
  IterationResult repeat_until(const std::function<bool()>& condition, std::int64_t every, std::int64_t max);

  /// The graph for Graphviz, without edges that follow from others.
  [[nodiscard]] std::string to_dot() const;

  /// A graph is a task, too: its accesses are those of its tasks, and a call is one run.
  [[nodiscard]] std::string_view name() const noexcept { return options_.name; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const;
  /// Memory::device when all tasks only put work into the stream.
  [[nodiscard]] Memory memory() const noexcept;
  void operator()(Stream& stream);

private:
  struct Plan;
  struct Plans;

  void refuse_itself(const TaskGraph& task) const;
  void check(std::size_t task, const char* where) const;
  [[nodiscard]] std::vector<std::vector<std::size_t>> reduced(const std::vector<std::size_t>& sequence) const;
  [[nodiscard]] bool measures() const noexcept;
  [[nodiscard]] Plan& plan(std::int64_t iterations);
  void require_all_exchanges(bool again);
  void repeat(std::int64_t iterations, std::int64_t times);
  void launch(Plan& planned, std::int64_t times);
  [[nodiscard]] bool record(Plan& planned);
  [[nodiscard]] CaptureDecision intended_capture() const;
  [[nodiscard]] std::int64_t measure(std::int64_t n);
  void forget_plans() noexcept;
  void note(const std::string& step, const std::string& row, double began) const;
  void run_serial(Stream& stream, Plan& plan);
  void run_threads(const Plan& plan, std::int64_t n);
  void run_shuffled(const Plan& plan);

  TaskGraphOptions options_;
  std::vector<TaskNode> nodes_;
  std::unique_ptr<Plans> plans_; // made by the first run
  bool failed_ = false;          // in a captured run
};

} // namespace heddle

#endif
