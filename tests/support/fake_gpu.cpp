// SPDX-License-Identifier: Apache-2.0
// A GPU without kernels: streams are threads of the host, memory is the host's, and graphs are recorded. A
// program that links this file has it in place of src/core/gpu/none.cpp, so that what the runtime does with
// streams, events and recordings runs without a device. What may overlap on a device overlaps here.
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/core/gpu/calls.hpp"

namespace heddle::gpu {

namespace {

using Operation = std::function<void()>;
using Clock = std::chrono::steady_clock;

struct Graph {
  std::vector<Operation> operations; // in an order that all events allow
};

struct Event {
  std::mutex mutex;
  std::condition_variable change;
  long recorded = 0; // by the host
  long reached = 0;  // by its stream
  Clock::time_point when{};
  Graph* capture = nullptr; // in which it was recorded last
};

class FakeStream {
public:
  FakeStream() : thread_([this] { serve(); }) {}
  ~FakeStream() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    change_.notify_all();
    thread_.join();
  }
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;
  FakeStream(FakeStream&&) = delete;
  FakeStream& operator=(FakeStream&&) = delete;

  void put(Operation operation) {
    if (capture != nullptr) {
      capture->operations.push_back(std::move(operation));
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(operation));
    }
    change_.notify_all();
  }
  [[nodiscard]] bool idle() {
    const std::lock_guard lock(mutex_);
    return queue_.empty();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    change_.wait(lock, [this] { return queue_.empty(); });
  }

  Graph* capture = nullptr; // of the thread that puts

private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      change_.wait(lock, [this] { return !queue_.empty() || closing_; });
      if (queue_.empty()) return;
      const Operation operation = queue_.front();
      lock.unlock();
      operation();
      lock.lock();
      queue_.pop_front();
      change_.notify_all();
    }
  }

  std::mutex mutex_; // guards what follows
  std::condition_variable change_;
  std::deque<Operation> queue_;
  bool closing_ = false;
  std::thread thread_;
};

using Shared = std::shared_ptr<Event>;

/// Streams that exist, for what waits for the whole device.
std::mutex all_mutex;
std::vector<FakeStream*> all;

FakeStream& of(void* stream) {
  return *static_cast<FakeStream*>(stream);
}

void wait_for_all() {
  std::vector<FakeStream*> now;
  {
    const std::lock_guard lock(all_mutex);
    now = all;
  }
  for (FakeStream* stream : now)
    stream->wait();
}

void end(Graph* capture) {
  const std::lock_guard lock(all_mutex);
  for (FakeStream* stream : all) {
    if (stream->capture == capture) stream->capture = nullptr;
  }
}

void refuse_capture(void* stream) {
  if (of(stream).capture != nullptr)
    throw Error("fake GPU", "a stream that is captured cannot be waited for");
}

} // namespace

void refuse(const char* where) {
  throw Error(where, "the fake GPU cannot do this");
}
bool available() noexcept {
  return true;
}
void* allocate(std::size_t bytes, Memory) {
  return std::malloc(bytes);
}
void release(void* pointer, Memory) noexcept {
  std::free(pointer);
}
void zero(void* pointer, std::size_t bytes) {
  count_wait();
  wait_for_all();
  std::memset(pointer, 0, bytes);
}
void copy(void* to, const void* from, std::size_t bytes) {
  count_wait();
  wait_for_all();
  std::memcpy(to, from, bytes);
}
void copy_later(void* to, const void* from, std::size_t bytes, void* stream) {
  of(stream).put([=] { std::memcpy(to, from, bytes); });
}

void* create_stream(Priority) {
  auto* const stream = new FakeStream;
  const std::lock_guard lock(all_mutex);
  all.push_back(stream);
  return stream;
}
void destroy_stream(void* stream) noexcept {
  {
    const std::lock_guard lock(all_mutex);
    std::erase(all, &of(stream));
  }
  delete &of(stream);
}
void synchronise(void* stream) {
  count_wait();
  refuse_capture(stream);
  of(stream).wait();
}

void* create_event(bool) {
  return new Shared(std::make_shared<Event>());
}
void destroy_event(void* event) noexcept {
  delete static_cast<Shared*>(event);
}
void record(void* event, void* stream) {
  const Shared shared = *static_cast<Shared*>(event);
  shared->capture = of(stream).capture;
  if (shared->capture != nullptr) return;
  long number = 0;
  {
    const std::lock_guard lock(shared->mutex);
    number = ++shared->recorded;
  }
  of(stream).put([shared, number] {
    const std::lock_guard lock(shared->mutex);
    shared->reached = number;
    shared->when = Clock::now();
    shared->change.notify_all();
  });
}
void wait(void* stream, void* event) {
  const Shared shared = *static_cast<Shared*>(event);
  if (shared->capture != nullptr) {
    of(stream).capture = shared->capture;
    return;
  }
  long number = 0;
  {
    const std::lock_guard lock(shared->mutex);
    number = shared->recorded;
  }
  of(stream).put([shared, number] {
    std::unique_lock lock(shared->mutex);
    shared->change.wait(lock, [&] { return shared->reached >= number; });
  });
}
bool happened(void* event) {
  const Shared& shared = *static_cast<Shared*>(event);
  const std::lock_guard lock(shared->mutex);
  return shared->reached == shared->recorded;
}
bool idle(void* stream) {
  return of(stream).idle();
}
double seconds_between(void* earlier, void* later) {
  const auto when = [](void* event) {
    const Shared& shared = *static_cast<Shared*>(event);
    const std::lock_guard lock(shared->mutex);
    return shared->when;
  };
  return std::chrono::duration<double>(when(later) - when(earlier)).count();
}

void begin_capture(void* stream) {
  of(stream).capture = new Graph;
}
void* end_capture(void* stream, std::size_t* nodes) {
  Graph* const graph = of(stream).capture;
  end(graph);
  if (nodes != nullptr) *nodes = graph->operations.size();
  return graph;
}
bool is_capturing(void* stream) {
  return of(stream).capture != nullptr;
}
void abandon_capture(void* stream) noexcept {
  Graph* const graph = of(stream).capture;
  end(graph);
  delete graph;
}
void launch(void* graph, void* stream) {
  for (const Operation& operation : static_cast<Graph*>(graph)->operations)
    of(stream).put(operation);
}
void destroy_graph(void* graph) noexcept {
  delete static_cast<Graph*>(graph);
}

std::vector<std::string> devices() {
  return {"fake GPU"};
}
int current_device() {
  return 0;
}
void use_device(int) {}
int fetch_bytes() {
  return 64;
}
void fetch_bytes(int) {}
bool reach_into(int) {
  return true;
}

} // namespace heddle::gpu
