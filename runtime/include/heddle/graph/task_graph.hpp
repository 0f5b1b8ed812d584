// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRAPH_TASK_GRAPH_HPP
#define HEDDLE_GRAPH_TASK_GRAPH_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/core/lifetime.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/graph/capture.hpp"
#include "heddle/graph/lagged_state.hpp"
#include "heddle/graph/overlap.hpp"
#include "heddle/graph/period.hpp"
#include "heddle/graph/task_node.hpp"
#include "heddle/grid/field_access.hpp"

namespace heddle {

class DeviceSchedule;

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

/// How a TaskGraph runs its tasks. Results do not depend on any of it.
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

/// Bytes of the values of a tuple of numbers.
template <class... Numbers> [[nodiscard]] std::string bytes_of(const std::tuple<Numbers...>& values) {
  std::string bytes;
  const auto add = [&bytes](const auto& value) {
    static_assert(std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::apply([&](const auto&... value) { (add(value), ...); }, values);
  return bytes;
}

/// What repeat_until did.
struct IterationResult {
  std::int64_t iterations = 0;
  bool met = false; // the condition held at the end
};

/// Tasks and the order that follows from what they declare. Two tasks of which the later (in the order of
/// add) reads what the earlier writes, writes what it reads, or writes what it writes, run in that order;
/// others may run in any. An emitted sweep declares its fields, results, profiles, tables and lists of cells.
/// Tasks may have periods, and lag (Period).
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
  ///
  /// With a period it runs in some iterations only, and may lag: `add(radiation, {.every = 20, .lag = 1})`.
  /// Sweeps may, and graphs of tasks that may. Another task may if it declares `static constexpr bool
  /// takes_versions = true;` and takes its fields as stream.version(field). It is copied at each trigger
  /// where it can be, so that changes of its parameters come into effect at the next one. What its results
  /// depend on beside its fields it may say as `std::string arguments() const`; for sweeps these are the
  /// parameters. What it uses beyond its declared accesses (the neighbours of an index list) is not copied
  /// and must not change.
  ///
  /// Throws Error for a period below 1, a lag other than 0 and 1, less than one thread, and, with lag = 1,
  /// for a task that takes no versions, exchanges ghost cells or has periods itself, for an object that
  /// cannot be copied, and for one that the task updates in place.
  template <class T>
    requires Task<std::remove_reference_t<T>>
  std::size_t add(T&& task, const Period& period = {}) {
    using Plain = std::remove_reference_t<T>;
    if constexpr (std::is_same_v<Plain, TaskGraph>) refuse_itself(task);
    std::shared_ptr<Plain> owner;
    Plain* object = nullptr;
    std::optional<std::weak_ptr<const void>> lifetime;
    if constexpr (std::is_lvalue_reference_v<T>) {
      object = &task;
      if constexpr (requires {
                      { task.lifetime() } -> std::same_as<const Lifetime&>;
                    })
        lifetime = task.lifetime().watch();
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
        [object](Stream& stream) { call_in_graph(*object, stream); }, memory);
    TaskNode& node = nodes_[number];
    node.owner = std::move(owner);
    node.lifetime = std::move(lifetime);
    if constexpr (requires {
                    object->grid();
                    object->rank();
                  })
      node.domain = cover_of<Plain>(object->grid(), object->rank());
    if constexpr (requires { object->uses(); }) {
      for (const auto& used : object->uses())
        node.uses.emplace_back(used.what, used.lifetime->watch());
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
    describe_versions(node, *object);
    repeat_with(number, period);
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
  /// Launches and copies of an iteration in the CUDA graph that runs use now; 0 while none is recorded.
  [[nodiscard]] double recorded_nodes() const noexcept;
  /// The number of iterations that are planned and captured together.
  [[nodiscard]] int unroll() const;

  /// Runs all tasks n times; all work is done on return. An exception of a task ends the run and is rethrown.
  /// Throws Error, before any task has run, if a sweep over whole blocks reads data of other blocks, or
  /// through a periodic face, that sweeps of this graph or of one that ran before have changed, or reads what
  /// such a sweep wrote there, and nothing exchanges that field in between: neither an exchange, in the graph
  /// or called by itself, nor another task that declares that it writes the field. Ghost cells would be those
  /// of an earlier step. See HaloState for fields whose ghost layers code of your own fills between two
  /// graphs. Throws Error, too, for a sweep, an exchange or a graph that ended before this run, and for a
  /// field, profile, buffer or list that such a sweep uses.
  void run(std::int64_t n = 1);

  /// Runs until the condition holds. The condition is tested every `every` iterations; at most `max`
  /// iterations run.
  IterationResult repeat_until(const std::function<bool()>& condition, std::int64_t every, std::int64_t max);

  /// The iterations that have been run, by which periods are counted.
  [[nodiscard]] std::int64_t iterations() const noexcept { return iterations_; }
  /// Waits for lagged tasks, which otherwise go on after run() has returned, and rethrows what one of them
  /// threw; without this call, that comes with its next trigger. Results are published by triggers alone. The
  /// destructor waits, too.
  void finish();
  /// What a task with lag = 1 has done so far. Throws Error for another task.
  [[nodiscard]] LaggedReport lagged(std::size_t task) const;
  /// What the next run depends on beside the fields, for Checkpoint::add. While the graph lives, the fields
  /// that lagged tasks access must keep their shapes from then on.
  struct State {
    std::int64_t* iterations;
    std::vector<LaggedState*> lagged;
  };
  [[nodiscard]] State state();

  /// The graph for Graphviz, without edges that follow from others.
  [[nodiscard]] std::string to_dot() const;

  /// A graph is a task, too: its accesses are those of its tasks, and a call is one run. A call by itself
  /// throws what run() throws.
  [[nodiscard]] std::string_view name() const noexcept { return options_.name; }
  /// By which other graphs find out that it has ended.
  [[nodiscard]] const Lifetime& lifetime() const noexcept { return lifetime_; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const;
  /// Memory::device when all tasks only put work into the stream, each time the same.
  [[nodiscard]] Memory memory() const noexcept;
  void operator()(Stream& stream);
  /// The same without these checks: another graph makes them for all its tasks.
  void in_graph(Stream& stream);
  /// As a task that lags: whether all tasks may, a call with the parameters of now, and the arguments of all.
  [[nodiscard]] bool may_lag() const;
  [[nodiscard]] std::function<void(Stream&)> copied() const;
  [[nodiscard]] std::string arguments() const;

private:
  struct Plan;
  struct Plans;
  struct Repetition;

  void check_run(std::int64_t n);
  template <class Plain> static void describe_versions(TaskNode& node, Plain& task) {
    Plain* const object = &task;
    if constexpr (std::is_same_v<Plain, TaskGraph>) {
      node.takes_versions = [object] { return object->may_lag(); };
      node.copied = [object] { return object->copied(); };
      node.inputs = object->inputs();
      node.tasks = [object] { return object->tasks(); };
    } else {
      node.takes_versions = [] {
        if constexpr (requires { Plain::takes_versions; }) return bool{Plain::takes_versions};
        return false;
      };
      node.copied = [object]() -> std::function<void(Stream&)> {
        if constexpr (std::is_copy_constructible_v<Plain>)
          return [copy = *object](Stream& stream) mutable { call_in_graph(copy, stream); };
        else
          return [object](Stream& stream) { call_in_graph(*object, stream); };
      };
    }
    if constexpr (requires {
                    { object->arguments() } -> std::convertible_to<std::string>;
                  })
      node.arguments = [object]() -> std::string { return object->arguments(); };
    else if constexpr (requires { bytes_of(object->parameters.values()); })
      node.arguments = [object]() -> std::string { return bytes_of(object->parameters.values()); };
    else
      node.arguments = [] { return std::string{}; };
  }
  void repeat_with(std::size_t task, const Period& period);
  [[nodiscard]] std::vector<const void*> inputs() const;
  [[nodiscard]] std::vector<const TaskNode*> tasks() const;
  [[nodiscard]] bool periodic() const noexcept;
  [[nodiscard]] std::vector<bool> left_out(std::int64_t iteration) const;
  [[nodiscard]] std::int64_t next_trigger(std::int64_t iteration) const;
  void run_periods(std::int64_t n);
  void finish_launches();

  void refuse_itself(const TaskGraph& task) const;
  void check(std::size_t task, const char* where) const;
  [[nodiscard]] std::vector<std::vector<std::size_t>> reduced(const std::vector<std::size_t>& sequence) const;
  [[nodiscard]] bool measures() const noexcept;
  [[nodiscard]] Plan& plan(const Repetition& what);
  void run_iterations(std::int64_t n);
  void require_alive() const;
  void repeat(const Repetition& what);
  void launch(Plan& planned, const Repetition& what);
  void put(DeviceSchedule& schedule, std::int64_t times);
  [[nodiscard]] bool record(Plan& planned);
  [[nodiscard]] CaptureDecision intended_capture() const;
  [[nodiscard]] std::int64_t measure(std::int64_t n);
  [[nodiscard]] int computing_threads(int all) const;
  void forget_plans() noexcept;
  void note(const std::string& step, const std::string& row, double began) const;
  void run_serial(Stream& stream, Plan& plan);
  void run_threads(const Plan& plan, std::int64_t n);
  void run_shuffled(const Plan& plan);

  TaskGraphOptions options_;
  std::vector<TaskNode> nodes_;
  std::unique_ptr<Plans> plans_; // made by the first run
  std::int64_t iterations_ = 0;  // of all runs
  bool failed_ = false;          // in a captured run
  Lifetime lifetime_;
};

} // namespace heddle

#endif
