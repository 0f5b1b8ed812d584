// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_COLLECTIVE_HPP
#define HEDDLE_EMULATION_COLLECTIVE_HPP

#include "executor.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Who waits for whom. No waiting is done here: the executors ask, then park and wake their threads.

namespace heddle::emulation {

/// All bits set: a NaN in any float, -1 in any integer. What a lane reads from one that is not there.
inline constexpr std::uint64_t poison = ~std::uint64_t{0};

/// The lanes of one warp that wait in a warp collective.
class Warp {
public:
  /// `lanes` threads exist; the others count as exited.
  void reset(unsigned lanes) {
    exited_ = lanes >= wave ? 0u : all_lanes & ~Lanes{0} << lanes;
    waiting_ = 0u;
  }
  void exit(unsigned lane) { exited_ |= Lanes{1} << lane; }
  void arrive(unsigned lane, const WarpCall& call) {
    waiting_ |= Lanes{1} << lane;
    calls_[lane] = call;
  }
  bool waits(unsigned lane) const { return holds(waiting_, lane); }
  Lanes waiting() const { return waiting_; }
  std::uint64_t result(unsigned lane) const { return results_[lane]; }
  const WarpCall& call(unsigned lane) const { return calls_[lane]; }

  /// Completes each collective that all its living members have reached, with one mask, at one place. Returns
  /// the lanes that may run on.
  Lanes complete() {
    Lanes released = 0u;
    for (Lanes pending = waiting_; pending != 0u;) {
      const auto first = static_cast<unsigned>(std::countr_zero(pending));
      const WarpCall& call = calls_[first];
      const Lanes members = call.mask & ~exited_;
      bool ready = (members & ~waiting_) == 0u;
      for (unsigned lane = 0; lane < wave && ready; ++lane)
        ready =
            !holds(members, lane) || (calls_[lane].mask == call.mask && calls_[lane].place == call.place &&
                                      calls_[lane].operation == call.operation);
      if (ready) {
        compute(call.operation, members);
        released |= members;
        waiting_ &= ~members;
      }
      // Of those that are not ready, only this lane is done with: another member may belong to a smaller
      // group.
      pending &= ready ? ~members : ~(Lanes{1} << first);
    }
    return released;
  }

private:
  static bool holds(Lanes lanes, unsigned lane) { return (lanes >> lane & 1u) != 0u; }

  void compute(WarpOperation operation, Lanes members) {
    Lanes votes = 0u;
    for (unsigned lane = 0; lane < wave; ++lane)
      if (holds(members, lane) && calls_[lane].value != 0u) votes |= Lanes{1} << lane;
    for (unsigned lane = 0; lane < wave; ++lane) {
      if (!holds(members, lane)) continue;
      const unsigned source = calls_[lane].source;
      switch (operation) {
      case WarpOperation::sync:
        results_[lane] = 0u;
        break;
      case WarpOperation::shuffle:
        results_[lane] = holds(members, source) ? calls_[source].value : poison;
        break;
      case WarpOperation::ballot:
        results_[lane] = votes;
        break;
      case WarpOperation::any:
        results_[lane] = votes != 0u;
        break;
      case WarpOperation::all:
        results_[lane] = votes == members;
        break;
      }
    }
  }

  Lanes exited_ = 0u;
  Lanes waiting_ = 0u;
  std::array<WarpCall, wave> calls_{};
  std::array<std::uint64_t, wave> results_{};
};

/// The threads of one block that wait in __syncthreads.
class Barrier {
public:
  struct Arrival {
    unsigned thread;
    BarrierKind kind;
    int predicate;
    Place place;
  };

  void reset(unsigned threads) {
    threads_ = threads;
    exited_ = 0u;
    first_exited_ = threads;
    arrivals_.clear();
  }
  void exit(unsigned thread) {
    if (exited_++ == 0u || thread < first_exited_) first_exited_ = thread;
  }
  void arrive(const Arrival& arrival) { arrivals_.push_back(arrival); }
  bool all_exited() const { return exited_ == threads_; }
  bool everyone_here() const { return arrivals_.size() + exited_ == threads_ && !arrivals_.empty(); }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  unsigned exited() const { return exited_; }
  int result() const { return result_; }

  /// With everyone here: what is wrong, if anything.
  std::optional<Fault> divergence(const Launch& launch, uint3 block) const {
    const Arrival& first = arrivals_.front();
    const auto report = [&](const auto&... what) {
      return make_fault(Fault::Kind::divergent_barrier, launch, block, launch.thread_indices[first.thread],
                        first.place.line,
                        join("divergent __syncthreads at ", to_string(first.place), ": ", arrivals_.size(),
                             " of ", threads_, " threads wait, ", what...));
    };
    if (exited_ != 0u)
      return report(exited_, " threads have exited, the first is thread ",
                    to_string(launch.thread_indices[first_exited_]));
    for (const Arrival& other : arrivals_)
      if (!(other.place == first.place) || other.kind != first.kind)
        return report("but thread ", to_string(launch.thread_indices[other.thread]), " waits at ",
                      to_string(other.place));
    return std::nullopt;
  }

  /// With everyone here and no divergence: forms the result and lets all run on.
  void complete() {
    int count = 0;
    for (const Arrival& arrival : arrivals_)
      count += arrival.predicate != 0 ? 1 : 0;
    switch (arrivals_.front().kind) {
    case BarrierKind::plain:
      result_ = 0;
      break;
    case BarrierKind::count:
      result_ = count;
      break;
    case BarrierKind::conjunction:
      result_ = count == static_cast<int>(threads_) ? 1 : 0;
      break;
    case BarrierKind::disjunction:
      result_ = count != 0 ? 1 : 0;
      break;
    }
    arrivals_.clear();
  }

private:
  unsigned threads_ = 0;
  unsigned exited_ = 0;
  unsigned first_exited_ = 0;
  int result_ = 0;
  std::vector<Arrival> arrivals_;
};

} // namespace heddle::emulation

#endif
