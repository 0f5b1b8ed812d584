// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_THREADS_HPP
#define HEDDLE_EMULATION_THREADS_HPP

#include "collective.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace heddle::emulation {

/// Runs each CUDA thread of a block as a std::thread, so that ThreadSanitizer sees what a device would let
/// race.
/// __syncthreads locks a mutex of the block and a warp collective one of the warp, and nothing else is
/// shared: the order that the sanitizer sees between two threads is the order that CUDA promises, except that
/// a warp collective on some lanes orders the whole warp. (std::barrier would do for the good kernels; it
/// cannot say who is missing.)
class Threads final : public Executor {
public:
  void run_block(const Launch& launch, uint3 block, std::uint64_t number) override {
    launch_ = &launch;
    block_ = block;
    failed_ = false;
    failure_ = nullptr;
    const auto count = static_cast<unsigned>(launch.thread_indices.size());
    barrier_.reset(count);
    for (unsigned w = 0; wave * w < count; ++w)
      gates_[w].warp.reset(count - wave * w);
    std::vector<unsigned> order(count);
    for (unsigned t = 0; t < count; ++t)
      order[t] = t;
    arrange(order, launch.settings, number * 1024u);
    running_ = count;
    while (workers_.size() < count) {
      workers_.push_back(std::make_unique<Worker>());
      workers_.back()->thread =
          std::thread([this, &worker = *workers_.back(), t = static_cast<unsigned>(workers_.size() - 1)] {
            work(worker, t);
          });
    }
    for (const unsigned t : order)
      workers_[t]->tell(Task::run);
    std::unique_lock lock(running_mutex_);
    all_done_.wait(lock, [&] { return running_ == 0u; });
    if (failure_) std::rethrow_exception(failure_);
  }

  ~Threads() override {
    for (const auto& worker : workers_)
      worker->tell(Task::quit);
    for (const auto& worker : workers_)
      worker->thread.join();
  }

  int barrier(BarrierKind kind, int predicate, const Place& place) override {
    std::unique_lock lock(barrier_mutex_);
    const std::uint64_t generation = generation_;
    barrier_.arrive({thread_number(), kind, predicate, place});
    settle();
    wait(lock, barrier_changed_, [&] { return generation_ != generation; }, place);
    return barrier_.result();
  }

  std::uint64_t warp(const WarpCall& call) override {
    Gate& gate = gates_[thread_number() / wave];
    const unsigned lane = lane_number();
    std::unique_lock lock(gate.mutex);
    gate.warp.arrive(lane, call);
    if (gate.warp.complete() != 0u) gate.changed.notify_all();
    wait(lock, gate.changed, [&] { return !gate.warp.waits(lane); }, call.place);
    return gate.warp.result(lane);
  }

  Fault fault(Fault::Kind kind, const Place& place, const std::string& what) const override {
    return make_fault(kind, *launch_, block_, threadIdx, place.line, join(what, " at ", to_string(place)));
  }

private:
  enum class Task { none, run, quit };

  /// A std::thread, kept from block to block. It is told what to do through a mutex of its own: one for all
  /// would put the workers into an order that hides their races.
  struct Worker {
    std::mutex mutex;
    std::condition_variable told;
    Task task = Task::none;
    std::thread thread;

    void tell(Task next) {
      const std::lock_guard lock(mutex);
      task = next;
      told.notify_one();
    }
    Task wait() {
      std::unique_lock lock(mutex);
      told.wait(lock, [&] { return task != Task::none; });
      return std::exchange(task, Task::none);
    }
  };

  struct Abandoned {}; // unwinds the other threads after a fault

  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    Warp warp;
  };

  void work(Worker& worker, unsigned t) {
    while (worker.wait() == Task::run) {
      run_thread(t);
      const std::lock_guard lock(running_mutex_);
      if (--running_ == 0u) all_done_.notify_one();
    }
  }

  void run_thread(unsigned t) {
    active = this;
    threadIdx = launch_->thread_indices[t];
    blockIdx = block_;
    blockDim = launch_->block;
    gridDim = launch_->grid;
    try {
      launch_->run(launch_->arguments);
    } catch (const Abandoned&) {
      return;
    } catch (...) {
      fail(std::current_exception());
      return;
    }
    Gate& gate = gates_[t / wave];
    {
      const std::lock_guard lock(gate.mutex);
      gate.warp.exit(t % wave);
      if (gate.warp.complete() != 0u) gate.changed.notify_all();
    }
    const std::lock_guard lock(barrier_mutex_);
    barrier_.exit(t);
    settle();
  }

  /// Lets the block run on if everyone is at the barrier. The caller holds its mutex.
  void settle() {
    if (!barrier_.everyone_here()) return;
    if (const auto fault = barrier_.divergence(*launch_, block_)) {
      fail(std::make_exception_ptr(*fault));
      return;
    }
    barrier_.complete();
    ++generation_;
    barrier_changed_.notify_all();
  }

  /// Waits; looks up now and then, so that a fault elsewhere, or a deadlock, ends it.
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, Ready ready,
            const Place& place) {
    using Clock = std::chrono::system_clock; // the steady clock's wait is not known to every ThreadSanitizer
    const auto begin = Clock::now();
    while (!ready()) {
      if (failed_.load(std::memory_order_relaxed)) throw Abandoned{};
      if (std::chrono::duration<double>(Clock::now() - begin).count() > launch_->settings.patience) {
        fail(std::make_exception_ptr(
            fault(Fault::Kind::deadlock, place,
                  join("deadlock: nobody came for ", launch_->settings.patience, " s"))));
        throw Abandoned{};
      }
      changed.wait_until(lock, Clock::now() + std::chrono::milliseconds(20));
    }
  }

  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::move(failure);
    failed_.store(true, std::memory_order_relaxed);
  }

  const Launch* launch_ = nullptr;
  uint3 block_{0, 0, 0};
  std::vector<std::unique_ptr<Worker>> workers_; ///< worker t runs thread t
  std::mutex running_mutex_;
  std::condition_variable all_done_;
  unsigned running_ = 0;
  std::mutex barrier_mutex_;
  std::condition_variable barrier_changed_;
  Barrier barrier_;
  std::uint64_t generation_ = 0;
  std::array<Gate, 1024u / wave> gates_; // a block has at most 1024 threads
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
};

} // namespace heddle::emulation

#endif
