// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_LOOPS_HPP
#define HEDDLE_EMULATION_LOOPS_HPP

#include "executor.hpp"

#include <vector>

namespace heddle::emulation {

/// Runs the threads of a block one after the other on the caller's stack: no fibers, so it also states that a
/// kernel needs no barrier, and it is the one to step through in a debugger.
class Loops final : public Executor {
public:
  void run_block(const Launch& launch, uint3 block, std::uint64_t number) override {
    launch_ = &launch;
    block_ = block;
    order_.resize(launch.thread_indices.size());
    for (unsigned t = 0; t < order_.size(); ++t)
      order_[t] = t;
    arrange(order_, launch.settings, number * 1024u);
    for (const unsigned t : order_) {
      threadIdx = launch.thread_indices[t];
      launch.run(launch.arguments);
    }
  }

  int barrier(BarrierKind, int, const Place& place) override {
    throw fault(Fault::Kind::barrier_in_loops, place, "__syncthreads in Mode::loops");
  }
  std::uint64_t warp(const WarpCall& call) override {
    throw fault(Fault::Kind::barrier_in_loops, call.place, "a warp collective in Mode::loops");
  }
  Fault fault(Fault::Kind kind, const Place& place, const std::string& what) const override {
    return make_fault(kind, *launch_, block_, threadIdx, place.line, join(what, " at ", to_string(place)));
  }

private:
  const Launch* launch_ = nullptr;
  uint3 block_{0, 0, 0};
  std::vector<unsigned> order_;
};

} // namespace heddle::emulation

#endif
