// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_CLOCK_HPP
#define HEDDLE_CLOUDS_CLOCK_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "flow.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/transport/transport.hpp"

namespace clouds {

/// The length of time steps, chosen where the fields lie, so that nobody waits for it: a task, whose kernel
/// is in model.py. A step is 1.05 times the last one at most, with Courant number 1 and diffusion number 0.4
/// at most; the end is reached exactly, by two equal steps at last.
template <class T> class Clock {
public:
  struct Reading {
    double rest = 0;    // until the end, s
    double allowed = 0; // the last step if the end had not cut it, s
  };

  /// longest: no step is longer, s. advection, diffusion: what limits the step, one number each, 1/s; see
  /// Rates. They must outlive this, and their memory is where this runs.
  Clock(double longest, const heddle::Buffer<T>& advection, const heddle::Buffer<T>& diffusion);

  void set(const Reading& values);
  void set_length(double length);
  /// Waits for the device. Throws heddle::Error where the flow is not finite or asks for steps below 1 ms.
  [[nodiscard]] Reading read() const;
  /// The steps that surely end before the end, and the one that may reach it: so many may be launched before
  /// the next read().
  [[nodiscard]] std::int64_t steps(const Reading& from) const;
  /// The length of the step in the first entry, s, for kernels.
  [[nodiscard]] const heddle::Buffer<T>& length() const { return numbers_; }

  [[nodiscard]] static std::string_view name() { return "clock"; }
  [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const;
  [[nodiscard]] heddle::Memory memory() const { return numbers_.memory(); }
  void operator()(heddle::Stream& stream);

private:
  double longest_;
  const heddle::Buffer<T>*advection_, *diffusion_;
  heddle::Buffer<T> numbers_; // length, rest, allowed
};

/// A graph of tasks, with the exchanges that its sweeps need. What ghost cells hold already is left out of
/// them: cells that an exchange before has brought, and that no task has changed since.
class Tasks {
public:
  /// transport must outlive this. in_line: each task waits for the one before it.
  Tasks(heddle::TaskGraphOptions options, heddle::Transport& transport, bool in_line)
      : graph_(std::move(options)), transport_(&transport), in_line_(in_line) {}

  template <class Task> void put(Task&& task) {
    if constexpr (requires { task.accesses(); })
      for (const heddle::FieldAccess& access : task.accesses())
        if (access.mode == heddle::AccessMode::write) known_.erase(access.object);
    append(std::forward<Task>(task));
  }
  /// The exchange that a sweep needs, if it needs one.
  template <class Sweep> void exchange_for(const Sweep& sweep) {
    if constexpr (requires { sweep.before(); }) {
      heddle::DenseExchange exchange = sweep.before();
      for (const auto& [field, regions] : known_)
        exchange.leave_out(field, regions);
      if (exchange.empty()) return;
      for (const heddle::HaloRegion& region : exchange.regions())
        known_[exchange.fields()[static_cast<std::size_t>(region.field)].object].push_back(region);
      append(heddle::HaloExchange(std::move(exchange), *transport_));
    }
  }
  /// A sweep, after its exchange.
  template <class Sweep> void add(Sweep sweep) {
    exchange_for(sweep);
    put(std::move(sweep));
  }
  /// The last task has filled the ghost cells of a field along x and y, but for levels of other ranks.
  void filled_beside(const void* field) { known_[field] = heddle::ghost_shell(1, {reach, reach, 0}); }
  void run(std::int64_t times) { graph_.run(times); }

private:
  template <class Task> void append(Task&& task) {
    const std::size_t number = graph_.add(std::forward<Task>(task));
    if (in_line_ && number > 0) graph_.order(number - 1, number);
  }

  heddle::TaskGraph graph_;
  heddle::Transport* transport_;
  bool in_line_;
  std::map<const void*, std::vector<heddle::HaloRegion>> known_; // by field
};

} // namespace clouds

#endif
