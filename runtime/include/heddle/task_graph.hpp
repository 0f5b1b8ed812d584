// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TASK_GRAPH_HPP
#define HEDDLE_TASK_GRAPH_HPP

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

#include "heddle/field_access.hpp"
#include "heddle/stream.hpp"

namespace heddle {

/// Anything with a name, declared accesses and a call: a sweep, an exchange, another TaskGraph.
/// A task that only puts work into the stream may say so with `Memory memory() const` returning
/// Memory::device; any other task is taken for host code, before which a device graph waits for what it
/// depends on.
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
  bool capture = false; // device, all tasks on the device: record one CUDA graph and launch it each time
};

/// What repeat_until did.
struct Repetition {
  std::int64_t iterations = 0;
  bool met = false; // the condition held at the end
};

/// Tasks and the order that follows from what they declare. Two tasks of which the later (in the order of
/// add) reads what the earlier writes, writes what it reads, or writes what it writes, run in that order;
/// others may run in any.
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
  /// change its parameters between runs), an rvalue is moved in. The accesses are asked for here, once.
  template <class T>
  requires Task<std::remove_reference_t<T>> std::size_t add(T&& task) {
    using Plain = std::remove_reference_t<T>;
    if constexpr (std::is_same_v<Plain, TaskGraph>) refuse_itself(task);
    Memory memory = Memory::host;
    if constexpr (requires {
                    { task.memory() } -> std::convertible_to<Memory>;
                  })
      memory = task.memory();
    std::string name(std::string_view(task.name()));
    if constexpr (std::is_lvalue_reference_v<T>) {
      return add(
          std::move(name), task.accesses(), [&task](Stream& stream) { task(stream); }, memory);
    } else {
      auto owned = std::make_shared<Plain>(std::forward<T>(task));
      auto accesses = owned->accesses();
      return add(
          std::move(name), accesses, [owned](Stream& stream) { (*owned)(stream); }, memory);
    }
  }

  /// The same from parts. Throws Error for an access without an object or an empty function.
  std::size_t add(std::string name, const std::vector<FieldAccess>& accesses,
                  std::function<void(Stream&)> function, Memory memory = Memory::host);

  /// Demands one more order, whatever the accesses say. Throws Error for unknown tasks.
  void order(std::size_t earlier, std::size_t later);

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  /// Tasks on which `task` depends directly, ascending. Throws Error for an unknown task.
  [[nodiscard]] std::vector<std::size_t> predecessors(std::size_t task) const;
  /// A topological order, the one closest to the order of add. Throws Error naming the tasks of a cycle.
  [[nodiscard]] std::vector<std::size_t> sequence() const;

  /// Runs all tasks n times; all is done on return. An exception of a task ends the run and is rethrown.
  void run(std::int64_t n = 1);

  /// Runs until the condition holds, asked after each `every` iterations, but at most `max` iterations.
  Repetition repeat_until(const std::function<bool()>& condition, std::int64_t every, std::int64_t max);

  /// The graph for Graphviz, without edges that follow from others.
  [[nodiscard]] std::string to_dot() const;

  /// A graph is a task, too: its accesses are those of its tasks, and a call is one run.
  [[nodiscard]] std::string_view name() const noexcept { return options_.name; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const;
  /// Memory::device when all tasks only put work into the stream.
  [[nodiscard]] Memory memory() const noexcept;
  void operator()(Stream& stream);

private:
  struct Access {
    const void* object;
    std::string name;
    AccessMode mode;
  };
  struct Node {
    std::string name;
    std::vector<Access> accesses;
    std::function<void(Stream&)> function;
    Memory memory;
    std::vector<std::size_t> predecessors; // direct, ascending, unique
  };
  struct Device;

  void refuse_itself(const TaskGraph& task) const;
  void check(std::size_t task, const char* where) const;
  [[nodiscard]] std::vector<std::vector<std::size_t>> reduced(const std::vector<std::size_t>& sequence) const;
  void run_serial(Stream& stream, const std::vector<std::size_t>& sequence);
  void run_threads(const std::vector<std::size_t>& sequence, std::int64_t n);
  void run_device(const std::vector<std::size_t>& sequence, std::int64_t n);

  TaskGraphOptions options_;
  std::vector<Node> nodes_;
  std::unique_ptr<Device> device_;
};

} // namespace heddle

#endif
