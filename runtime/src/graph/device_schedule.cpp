// SPDX-License-Identifier: Apache-2.0
#include "device_schedule.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/timeout_hint.hpp"
#include "heddle/core/wait_until.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

namespace {

constexpr std::size_t most_lanes = 8; // of one device and urgency
/// Iterations that a device is given before the first of them has ended, where steps wait for other ranks: a
/// launch too many would itself wait, and for as long as they do.
constexpr std::int64_t most_ahead = 16;

} // namespace

DeviceSchedule::DeviceSchedule(std::vector<TaskStep> steps, bool capture, Trace* trace)
    : steps_(std::move(steps)), capture_(capture), trace_(trace) {
  if (capture_ && trace_ != nullptr) {
    throw Error("TaskGraph", "a captured graph cannot be traced, because it runs as one unit",
                "trace without capture");
  }
  for (const TaskStep& step : steps_) {
    if (capture_ && step.memory != Memory::device) {
      throw Error("TaskGraph", "cannot capture task '" + step.name + "', which runs on the host",
                  "if the task only enqueues work in the stream, declare that with memory()");
    }
  }
  assign_lanes();
  try {
    create();
  } catch (...) {
    destroy();
    throw;
  }
}

DeviceSchedule::~DeviceSchedule() {
  destroy();
}

void DeviceSchedule::destroy() noexcept {
  if (gave_up_) drain();
  for (const std::vector<void*>* events : {&done_, &begun_, &ended_}) {
    for (void* event : *events)
      gpu::destroy_event(event);
  }
  for (const Lane& lane : lanes_) {
    if (lane.zero != nullptr) gpu::destroy_event(lane.zero);
  }
  for (void* event : {begin_, end_}) {
    if (event != nullptr) gpu::destroy_event(event);
  }
  if (graph_ != nullptr) gpu::destroy_graph(graph_);
}

void DeviceSchedule::assign_lanes() {
  std::size_t turn = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    std::vector<std::size_t> alike;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      if (lanes_[lane].device == steps_[i].device && lanes_[lane].urgent == steps_[i].urgent())
        alike.push_back(lane);
    }
    std::size_t chosen = lanes_.size();
    for (const std::size_t lane : alike) {
      for (const std::size_t p : steps_[i].predecessors) {
        if (lanes_[lane].tail == p) chosen = lane;
      }
    }
    if (chosen == lanes_.size()) {
      if (alike.size() < most_lanes) {
        const DeviceScope here(steps_[i].device);
        lanes_.push_back({steps_[i].device, steps_[i].urgent(),
                          Stream(Memory::device, steps_[i].urgent() ? Priority::urgent : Priority::ordinary),
                          nullptr, i});
      } else {
        chosen = alike[turn++ % alike.size()];
      }
    }
    lanes_[chosen].tail = i;
    lane_of_.push_back(chosen);
  }
}

void DeviceSchedule::create() {
  for (const TaskStep& step : steps_) {
    const DeviceScope here(step.device);
    done_.push_back(gpu::create_event(trace_ != nullptr));
    if (trace_ != nullptr) begun_.push_back(gpu::create_event(true));
  }
  for (Lane& lane : lanes_) {
    const DeviceScope here(lane.device);
    if (trace_ != nullptr) lane.zero = gpu::create_event(true);
    if (begin_ == nullptr) begin_ = gpu::create_event();
  }
  if (lanes_.empty()) return;
  const DeviceScope first(lanes_.front().device);
  end_ = gpu::create_event();
  if (std::ranges::none_of(steps_, [](const TaskStep& step) { return static_cast<bool>(step.waits_for); }))
    return;
  while (std::ssize(ended_) < most_ahead)
    ended_.push_back(gpu::create_event());
}

/// As long as a rank waits for messages.
void DeviceSchedule::await(void* event) {
  const std::chrono::milliseconds limit = longest_wait();
  gpu::count_wait();
  if (wait_until(limit, [&] { return gpu::happened(event); })) return;
  gave_up_ = true;
  std::string waiting;
  for (const TaskStep& step : steps_) {
    if (!step.waits_for) continue;
    waiting += (waiting.empty() ? "" : "; ") + step.waits_for();
    step.abort();
  }
  throw Error("TaskGraph", "waited " + std::to_string(limit.count()) + " ms for messages. " + waiting,
              timeout_hint);
}

/// What was given up still goes through the device, and uses what its steps belong to: the owner of those
/// may end once this has.
void DeviceSchedule::drain() noexcept {
  try {
    static_cast<void>(wait_until(longest_wait(), [&] {
      return std::ranges::all_of(lanes_, [](const Lane& lane) { return gpu::idle(lane.stream.native()); });
    }));
  } catch (const std::exception&) { // the device has failed: nothing runs there any more
    return;
  }
}

void DeviceSchedule::synchronise_all() {
  for (Lane& lane : lanes_)
    lane.stream.synchronise();
}

void DeviceSchedule::put_iteration() {
  void* const first = lanes_.front().stream.native();
  gpu::record(begin_, first);
  for (std::size_t lane = 1; lane < lanes_.size(); ++lane)
    gpu::wait(lanes_[lane].stream.native(), begin_);
  if (trace_ != nullptr) {
    for (Lane& lane : lanes_)
      gpu::record(lane.zero, lane.stream.native());
  }

  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const TaskStep& step = steps_[i];
    const DeviceScope here(step.device);
    Stream& stream = lanes_[lane_of_[i]].stream;
    for (const std::size_t p : step.predecessors) {
      if (lane_of_[p] != lane_of_[i]) gpu::wait(stream.native(), done_[p]);
    }
    if (trace_ != nullptr) gpu::record(begun_[i], stream.native());
    if (step.waits) stream.synchronise();
    step.run(stream);
    if (step.waits) stream.synchronise();
    gpu::record(done_[i], stream.native());
  }
  for (std::size_t lane = 1; lane < lanes_.size(); ++lane)
    gpu::wait(first, done_[lanes_[lane].tail]);
}

/// The last iteration in the trace, on the clock of the host: all lanes were idle when it began.
void DeviceSchedule::note_times(double began) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Lane& lane = lanes_[lane_of_[i]];
    trace_->add({steps_[i].name, lane.device,
                 (lane.urgent ? "urgent stream " : "stream ") + std::to_string(lane_of_[i]),
                 began + gpu::seconds_between(lane.zero, begun_[i]),
                 began + gpu::seconds_between(lane.zero, done_[i])});
  }
}

void DeviceSchedule::record_graph() {
  void* const first = lanes_.front().stream.native();
  const DeviceScope here(lanes_.front().device);
  gpu::begin_capture(first);
  try {
    put_iteration();
  } catch (...) {
    gpu::abandon_capture(first);
    throw;
  }
  graph_ = gpu::end_capture(first, &nodes_);
}

void DeviceSchedule::put(std::int64_t n, DeviceSchedule* before) {
  if (steps_.empty()) return;
  if (gave_up_) {
    throw Error("TaskGraph",
                "an earlier run gave up waiting for messages and left its fields between two steps",
                "start again from a checkpoint, with new transports");
  }
  if (capture_ && graph_ == nullptr) record_graph();
  const bool limited = !ended_.empty();
  const auto ended = [&](std::int64_t i) { return ended_[static_cast<std::size_t>(i % most_ahead)]; };
  if (before != nullptr && !before->steps_.empty()) {
    if (limited) before->await_all(); // so that all together are not too far ahead
    gpu::wait(lanes_.front().stream.native(), before->end_);
  }
  for (std::int64_t i = 0; i < n; ++i, ++put_) {
    if (limited && put_ >= most_ahead) await(ended(put_));
    const double began = Trace::now();
    const DeviceScope here(lanes_.front().device);
    if (capture_)
      gpu::launch(graph_, lanes_.front().stream.native());
    else
      put_iteration();
    if (limited) gpu::record(ended(put_), lanes_.front().stream.native());
    if (trace_ != nullptr) {
      if (limited) await(ended(put_));
      synchronise_all();
      note_times(began);
    }
  }
  const DeviceScope here(lanes_.front().device);
  if (n > 0) gpu::record(end_, lanes_.front().stream.native());
}

void DeviceSchedule::await_all() {
  for (std::int64_t i = std::max<std::int64_t>(0, put_ - most_ahead); !ended_.empty() && i < put_; ++i)
    await(ended_[static_cast<std::size_t>(i % most_ahead)]);
  put_ = 0;
}

void DeviceSchedule::finish() {
  if (steps_.empty()) return;
  await_all();
  synchronise_all();
  for (const TaskStep& step : steps_) {
    if (step.verify) step.verify();
  }
}

} // namespace heddle
