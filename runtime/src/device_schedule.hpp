// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_DEVICE_SCHEDULE_HPP
#define HEDDLE_DEVICE_SCHEDULE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "heddle/memory.hpp"
#include "heddle/stream.hpp"

namespace heddle {

/// A task of a device graph: predecessors by place in the list.
struct DeviceTask {
  std::function<void(Stream&)> function;
  Memory memory = Memory::device;
  std::vector<std::size_t> predecessors;
};

/// Runs tasks, given in a topological order, on a few device streams: a task follows a predecessor in its
/// stream where it can, and waits for the others by events. With `capture` an iteration is recorded as one
/// CUDA graph.
class DeviceSchedule {
public:
  DeviceSchedule(std::vector<DeviceTask> tasks, bool capture);
  ~DeviceSchedule();
  DeviceSchedule(DeviceSchedule&& other) noexcept;
  DeviceSchedule& operator=(DeviceSchedule&&) = delete;
  DeviceSchedule(const DeviceSchedule&) = delete;
  DeviceSchedule& operator=(const DeviceSchedule&) = delete;

  /// Puts n iterations into the streams and waits for them.
  void run(std::int64_t n);

private:
  void assign_lanes();
  void put_iteration();
  void synchronise_all();
  void destroy() noexcept;

  std::vector<DeviceTask> tasks_;
  bool capture_;
  std::vector<std::size_t> lanes_; // of each task
  std::vector<Stream> streams_;    // of each lane; lane 0 begins and ends an iteration
  std::vector<void*> events_;      // of each task: it is done; the last one: the iteration may begin
  void* graph_ = nullptr;
};

} // namespace heddle

#endif
