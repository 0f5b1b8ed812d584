// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_FIBERS_HPP
#define HEDDLE_EMULATION_FIBERS_HPP

#include "collective.hpp"
#include "context.hpp"

#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::emulation {

/// Runs a block on one OS thread, in phases: in each phase every thread that can run does so, in the order of
/// the settings, until it exits or waits. When all have, the collectives that are complete release their
/// threads into the next phase. A fiber that finishes a CUDA thread takes up the next one itself, so a kernel
/// that never waits is a plain loop on one stack; only a thread that waits keeps its stack, and costs a
/// switch.
class Fibers final : public Executor {
public:
  void run_block(const Launch& launch, uint3 block, std::uint64_t number) override {
    launch_ = &launch;
    block_ = block;
    const auto threads = static_cast<unsigned>(launch.thread_indices.size());
    barrier_.reset(threads);
    warps_.resize((threads + wave - 1u) / wave);
    for (unsigned w = 0; w < warps_.size(); ++w)
      warps_[w].reset(threads - wave * w);
    fiber_of_.assign(threads, nullptr);
    order_.resize(threads);
    for (unsigned t = 0; t < threads; ++t)
      order_[t] = t;
    for (std::uint64_t phase = 0; !order_.empty(); ++phase) {
      arrange(order_, launch.settings, number * 1024u + phase);
      cursor_ = 0;
      enter(order_[cursor_++], main_);
      if (failure_) stop(std::exchange(failure_, nullptr));
      release();
    }
  }

  int barrier(BarrierKind kind, int predicate, const Place& place) override {
    barrier_.arrive({current_, kind, predicate, place});
    park();
    return barrier_.result();
  }

  std::uint64_t warp(const WarpCall& call) override {
    warps_[current_ / wave].arrive(current_ % wave, call);
    park();
    return warps_[current_ / wave].result(current_ % wave);
  }

  Fault fault(Fault::Kind kind, const Place& place, const std::string& what) const override {
    return make_fault(kind, *launch_, block_, launch_->thread_indices[current_], place.line,
                      join(what, " at ", to_string(place)));
  }

private:
  struct Fiber {
    Stack stack;
    Context context;
  };

  /// Fills order_ with the threads that may run on; leaves it empty when all have exited; throws if nobody
  /// can.
  void release() {
    order_.clear();
    for (unsigned w = 0; w < warps_.size(); ++w)
      if (warps_[w].waiting() != 0u)
        for (Lanes released = warps_[w].complete(); released != 0u; released &= released - 1u)
          order_.push_back(wave * w + static_cast<unsigned>(std::countr_zero(released)));
    if (!order_.empty() || barrier_.all_exited()) return;
    if (!barrier_.everyone_here()) stop(std::make_exception_ptr(deadlock()));
    if (const auto fault = barrier_.divergence(*launch_, block_)) stop(std::make_exception_ptr(*fault));
    for (unsigned t = 0; t < fiber_of_.size(); ++t)
      if (fiber_of_[t] != nullptr) order_.push_back(t);
    barrier_.complete();
  }

  Fault deadlock() const {
    for (unsigned w = 0; w < warps_.size(); ++w) {
      if (warps_[w].waiting() == 0u) continue;
      const auto lane = static_cast<unsigned>(std::countr_zero(warps_[w].waiting()));
      const WarpCall& call = warps_[w].call(lane);
      return make_fault(Fault::Kind::deadlock, *launch_, block_, launch_->thread_indices[wave * w + lane],
                        call.place.line,
                        join("warp deadlock: lane ", lane, " of warp ", w, " waits at ",
                             to_string(call.place), " for lanes that do not come (mask 0x", std::hex,
                             call.mask, std::dec, "); ", barrier_.arrivals().size(),
                             " threads wait in __syncthreads, ", barrier_.exited(), " have exited"));
    }
    return make_fault(Fault::Kind::deadlock, *launch_, block_, uint3{0, 0, 0}, 0, "deadlock");
  }

  /// Gives up all parked threads: their stacks are used anew without unwinding, as device code owns nothing.
  [[noreturn]] void stop(std::exception_ptr failure) {
    all_.clear();
    idle_.clear();
    std::rethrow_exception(std::move(failure));
  }

  /// Runs thread `t` on its fiber, or on a free one. Returns when `from` is entered again.
  void enter(unsigned t, Context& from) {
    Fiber*& fiber = fiber_of_[t];
    if (fiber == nullptr) {
      if (idle_.empty()) {
        all_.push_back(std::make_unique<Fiber>());
        all_.back()->context.prepare(all_.back()->stack, static_cast<unsigned>(all_.size()), &Fibers::entry);
        idle_.push_back(all_.back().get());
      }
      fiber = idle_.back();
      idle_.pop_back();
    }
    become(t, fiber);
    Context::change(from, fiber->context);
  }

  void become(unsigned t, Fiber* fiber) {
    current_ = t;
    running_ = fiber;
    threadIdx = launch_->thread_indices[t];
  }

  /// Lets the other threads of the phase run, then the main loop, until the calling thread is entered again.
  void park() {
    Fiber& self = *running_;
    if (cursor_ < order_.size())
      enter(order_[cursor_++], self.context);
    else
      Context::change(self.context, main_);
  }

#if defined(__GNUC__)
  __attribute__((no_sanitize_address))
#endif
  static void
  entry() {
    Context::arrived();
    static_cast<Fibers*>(active)->work();
  }

  /// The body of a fiber: CUDA threads, one after the other.
  [[noreturn]] void work() {
    for (;;) {
      try {
        launch_->run(launch_->arguments);
      } catch (...) {
        failure_ = std::current_exception();
      }
      Fiber* const self = running_;
      barrier_.exit(current_);
      warps_[current_ / wave].exit(current_ % wave);
      fiber_of_[current_] = nullptr;
      if (failure_ || cursor_ == order_.size()) {
        idle_.push_back(self);
        Context::change(self->context, main_);
      } else if (const unsigned next = order_[cursor_++]; fiber_of_[next] == nullptr) {
        fiber_of_[next] = self;
        become(next, self);
      } else {
        idle_.push_back(self);
        enter(next, self->context);
      }
    }
  }

  const Launch* launch_ = nullptr;
  uint3 block_{0, 0, 0};
  Barrier barrier_;
  std::vector<Warp> warps_;
  std::vector<unsigned> order_; ///< the threads of this phase
  std::size_t cursor_ = 0;      ///< the next of them
  unsigned current_ = 0;        ///< the running CUDA thread
  Fiber* running_ = nullptr;    ///< and its fiber
  std::exception_ptr failure_;
  Context main_;
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> idle_;
  std::vector<Fiber*> fiber_of_; ///< of each CUDA thread that has begun and not exited
};

} // namespace heddle::emulation

#endif
