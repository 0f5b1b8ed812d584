// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_DEVICE_SCHEDULE_HPP
#define HEDDLE_SRC_GRAPH_DEVICE_SCHEDULE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/core/stream.hpp"
#include "heddle/core/trace.hpp"
#include "task_plan.hpp"

namespace heddle {

/// Runs steps, given in a topological order, on a few streams of their devices: a step follows a predecessor
/// in its stream where it can, and waits for the others by events. Urgent steps have streams of high
/// priority. With `capture` all of them, on whichever devices, are recorded as one CUDA graph.
class DeviceSchedule {
public:
  /// trace: null, or where to note when each step ran; not together with capture.
  DeviceSchedule(std::vector<TaskStep> steps, bool capture, Trace* trace);
  ~DeviceSchedule();
  DeviceSchedule(const DeviceSchedule&) = delete;
  DeviceSchedule& operator=(const DeviceSchedule&) = delete;
  DeviceSchedule(DeviceSchedule&&) = delete;
  DeviceSchedule& operator=(DeviceSchedule&&) = delete;

  /// Puts all steps n times into the streams and waits for them. Where steps wait within their streams for
  /// other ranks, throws Error that says who waits for whom when an iteration takes longer than
  /// longest_wait(). After such an error what is in the streams runs on until this ends, which waits for it
  /// as long again.
  void run(std::int64_t n) {
    put(n, nullptr);
    finish();
  }
  /// The two parts of it, so that others can be put in between. before: begins when all that was put there is
  /// done; the same device. null: at once.
  void put(std::int64_t n, DeviceSchedule* before);
  void finish();
  /// Of the recorded graph; 0 without one.
  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }

private:
  struct Lane {
    int device;
    bool urgent;
    Stream stream;
    void* zero = nullptr; // timed: when an iteration that is traced began
    std::size_t tail;     // the last step put there
  };

  void assign_lanes();
  void create();
  void record_graph();
  void put_iteration();
  void note_times(double began);
  void await(void* event);
  void await_all();
  void drain() noexcept;
  void synchronise_all();
  void destroy() noexcept;

  std::vector<TaskStep> steps_;
  bool capture_;
  bool gave_up_ = false; // waiting for messages
  Trace* trace_;
  std::vector<std::size_t> lane_of_; // each step
  std::vector<Lane> lanes_;          // lane 0 begins and ends an iteration
  std::vector<void*> done_;          // of each step
  std::vector<void*> begun_;         // of each step, where there is a trace
  std::vector<void*> ended_;         // of the last iterations, where steps wait for other ranks
  std::int64_t put_ = 0;             // iterations, since the last finish
  void* begin_ = nullptr;            // the iteration may begin
  void* end_ = nullptr;              // all that was put is done
  void* graph_ = nullptr;
  std::size_t nodes_ = 0;
};

} // namespace heddle

#endif
