// SPDX-License-Identifier: Apache-2.0
#include "device_schedule.hpp"

#include <algorithm>
#include <utility>

#include "cuda.hpp"

namespace heddle {

namespace {

constexpr std::size_t most_lanes = 4;

} // namespace

DeviceSchedule::DeviceSchedule(std::vector<DeviceTask> tasks, bool capture)
    : tasks_(std::move(tasks)), capture_(capture) {
  assign_lanes();
  try {
    const std::size_t lanes = lanes_.empty() ? 1 : *std::max_element(lanes_.begin(), lanes_.end()) + 1;
    for (std::size_t i = 0; i < lanes; ++i)
      streams_.emplace_back(Memory::device);
    for (std::size_t i = 0; i <= tasks_.size(); ++i)
      events_.push_back(cuda::create_event());
  } catch (...) {
    destroy();
    throw;
  }
}

DeviceSchedule::DeviceSchedule(DeviceSchedule&& other) noexcept
    : tasks_(std::move(other.tasks_)), capture_(other.capture_), lanes_(std::move(other.lanes_)),
      streams_(std::move(other.streams_)), events_(std::exchange(other.events_, {})),
      graph_(std::exchange(other.graph_, nullptr)) {}

DeviceSchedule::~DeviceSchedule() {
  destroy();
}

void DeviceSchedule::destroy() noexcept {
  for (void* event : events_)
    cuda::destroy_event(event);
  if (graph_ != nullptr) cuda::destroy_graph(graph_);
}

void DeviceSchedule::assign_lanes() {
  std::vector<std::size_t> tail; // of each lane: the last task put there
  std::size_t turn = 0;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    std::size_t lane = tail.size();
    for (const std::size_t p : tasks_[i].predecessors) {
      if (tail[lanes_[p]] == p) {
        lane = lanes_[p];
        break;
      }
    }
    if (lane == tail.size()) {
      if (tail.size() < most_lanes) {
        tail.push_back(i);
      } else {
        lane = turn++ % most_lanes;
      }
    }
    tail[lane] = i;
    lanes_.push_back(lane);
  }
}

void DeviceSchedule::synchronise_all() {
  for (Stream& stream : streams_)
    stream.synchronise();
}

void DeviceSchedule::put_iteration() {
  void* const begin = events_.back();
  cuda::record(begin, streams_[0].native());
  for (std::size_t lane = 1; lane < streams_.size(); ++lane)
    cuda::wait(streams_[lane].native(), begin);

  std::vector<std::size_t> tail(streams_.size(), tasks_.size());
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    Stream& stream = streams_[lanes_[i]];
    for (const std::size_t p : tasks_[i].predecessors) {
      if (lanes_[p] != lanes_[i]) cuda::wait(stream.native(), events_[p]);
    }
    const bool host = tasks_[i].memory != Memory::device;
    if (host) stream.synchronise();
    tasks_[i].function(stream);
    if (host) stream.synchronise();
    cuda::record(events_[i], stream.native());
    tail[lanes_[i]] = i;
  }
  for (std::size_t lane = 1; lane < streams_.size(); ++lane) {
    cuda::wait(streams_[0].native(), events_[tail[lane]]);
  }
}

void DeviceSchedule::run(std::int64_t n) {
  if (!capture_) {
    for (std::int64_t i = 0; i < n; ++i)
      put_iteration();
    synchronise_all();
    return;
  }
  if (graph_ == nullptr) {
    cuda::begin_capture(streams_[0].native());
    try {
      put_iteration();
    } catch (...) {
      cuda::abandon_capture(streams_[0].native());
      throw;
    }
    graph_ = cuda::end_capture(streams_[0].native());
  }
  for (std::int64_t i = 0; i < n; ++i)
    cuda::launch(graph_, streams_[0].native());
  synchronise_all();
}

} // namespace heddle
