// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <utility>
#include <vector>

#include "background.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/core/gpu/calls.hpp"

namespace heddle {

namespace {

/// A stream of a device. The host waits for nothing: it learns later how long triggers have waited.
class BackgroundStream final : public Background {
public:
  explicit BackgroundStream(Place place)
      : place_(std::move(place)), device_(gpu::current_device()),
        stream_(Memory::device, Priority::background) {}

  ~BackgroundStream() override {
    try {
      stream_.synchronise();
    } catch (const std::exception&) { // the device has failed, and other calls say so
    }
    for (const std::deque<Call>* calls : {&open_, &free_}) {
      for (const Call& call : *calls) {
        for (void* event : {call.ready, call.begun, call.done, call.wanted})
          gpu::destroy_event(event);
      }
    }
  }
  BackgroundStream(const BackgroundStream&) = delete;
  BackgroundStream& operator=(const BackgroundStream&) = delete;
  BackgroundStream(BackgroundStream&&) = delete;
  BackgroundStream& operator=(BackgroundStream&&) = delete;

  void launch(Job job, const Versions& versions, Stream& stream) override {
    const DeviceScope here(device_);
    settle();
    Call call = take();
    if (place_.trace != nullptr) stream.synchronise(); // so that `ready` happens now
    call.launched = Trace::now();
    gpu::record(call.ready, stream.native());
    gpu::wait(stream_.native(), call.ready);
    gpu::record(call.begun, stream_.native());
    stream_.use(&versions);
    try {
      job(stream_);
    } catch (...) {
      gpu::record(call.done, stream_.native());
      free_.push_back(call);
      throw;
    }
    gpu::record(call.done, stream_.native());
    open_.push_back(call);
  }

  void join(Stream& stream) override {
    if (open_.empty() || open_.back().joined) return;
    const DeviceScope here(device_);
    Call& call = open_.back();
    gpu::record(call.wanted, stream.native());
    gpu::wait(stream.native(), call.done);
    call.joined = true;
  }

  void finish() override {
    stream_.synchronise();
    settle();
  }

  [[nodiscard]] int busy_threads() const noexcept override { return 0; }

  void add_waits(LaggedReport& report) override {
    settle();
    report.waits += waits_;
    report.waited_seconds += waited_;
  }

private:
  /// Timed events: what is copied has been, the call has begun, it is done, and somebody needs that it is.
  struct Call {
    void* ready = nullptr;
    void* begun = nullptr;
    void* done = nullptr;
    void* wanted = nullptr;
    double launched = 0; // by the clock of the host
    bool joined = false;
  };

  Call take() {
    if (!free_.empty()) {
      Call call = free_.front();
      free_.pop_front();
      call.joined = false;
      return call;
    }
    Call call;
    for (void** event : {&call.ready, &call.begun, &call.done, &call.wanted})
      *event = gpu::create_event(true);
    return call;
  }

  /// Looks at calls that are over, without waiting for others.
  void settle() {
    const DeviceScope here(device_);
    while (!open_.empty() && open_.front().joined && gpu::happened(open_.front().wanted) &&
           gpu::happened(open_.front().done)) {
      const Call& call = open_.front();
      const double waited = gpu::seconds_between(call.wanted, call.done);
      if (waited > 0) {
        ++waits_;
        waited_ += waited;
      }
      if (place_.trace != nullptr) {
        const double began = call.launched + gpu::seconds_between(call.ready, call.begun);
        place_.trace->add({place_.name, device_, "background: " + place_.name, began,
                           began + gpu::seconds_between(call.begun, call.done)});
      }
      free_.push_back(call);
      open_.pop_front();
    }
  }

  Place place_;
  int device_;
  Stream stream_;
  std::deque<Call> open_; // launched, the last of them perhaps not joined
  std::deque<Call> free_;
  std::int64_t waits_ = 0;
  double waited_ = 0;
};

} // namespace

std::unique_ptr<Background> background_stream(Background::Place place) {
  return std::make_unique<BackgroundStream>(std::move(place));
}

} // namespace heddle
