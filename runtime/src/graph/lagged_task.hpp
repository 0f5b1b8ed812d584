// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_LAGGED_TASK_HPP
#define HEDDLE_SRC_GRAPH_LAGGED_TASK_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "background.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/core/versions.hpp"
#include "heddle/graph/lagged_state.hpp"
#include "heddle/graph/period.hpp"
#include "heddle/graph/task_node.hpp"

namespace heddle {

/// A task with lag = 1: what its triggers do. Not for several threads at once.
class LaggedTask {
public:
  /// node: of the task, before it lags; copies of its functions are kept. stream: it runs in a stream of the
  /// current device, else on a thread of the host.
  LaggedTask(const TaskNode& node, int threads, bool stream, Background::Place place);

  /// Publishes the result of the trigger before and begins the task, both in the order of `stream`; or
  /// computes at once. Waits for the task where it is not done yet, and rethrows what it threw; the next
  /// trigger then computes at once.
  void trigger(Stream& stream);
  /// Waits for what is under way, and rethrows what it threw.
  void finish();

  [[nodiscard]] int busy_threads() const noexcept { return background_->busy_threads(); }
  [[nodiscard]] LaggedReport report() const;
  /// What a checkpoint stores and restores between runs; the objects stay where they are from then on.
  [[nodiscard]] LaggedState& state();

private:
  struct Object {
    const void* original;
    const VersionKind* kind;
    std::shared_ptr<void> version;
    std::string name;
    bool read = false;
    bool written = false;
  };

  [[nodiscard]] std::string shapes() const;
  [[nodiscard]] std::uint64_t arguments() const;
  void make_versions(const std::string& shapes);
  void compute_at_once(Stream& stream);
  void begin(Stream& stream);

  std::string name_;
  std::function<void(Stream&)> function_;
  std::function<std::function<void(Stream&)>()> copied_;
  std::function<std::string()> arguments_;
  std::vector<Object> objects_;
  Versions versions_;
  std::string shapes_; // of the versions
  LaggedState state_;
  bool handed_out_ = false; // the state
  std::int64_t triggers_ = 0;
  std::int64_t synchronous_ = 0;
  std::unique_ptr<Background> background_; // last: it ends first
};

} // namespace heddle

#endif
