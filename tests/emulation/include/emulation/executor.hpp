// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_EXECUTOR_HPP
#define HEDDLE_EMULATION_EXECUTOR_HPP

#include "place.hpp"
#include "settings.hpp"
#include "types.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// The built-in variables of a kernel. The executor sets them before a thread runs or runs on.
#ifndef HEDDLE_EMULATION_WAVE
#define HEDDLE_EMULATION_WAVE 32 ///< threads that run in lock step: 32 as those of CUDA, 64 as those of AMD
#endif
inline constexpr int warpSize = HEDDLE_EMULATION_WAVE;
inline constinit thread_local uint3 threadIdx{0, 0, 0};
inline constinit thread_local uint3 blockIdx{0, 0, 0};
inline constinit thread_local dim3 blockDim{1, 1, 1};
inline constinit thread_local dim3 gridDim{1, 1, 1};

namespace heddle::emulation {

/// A kernel did something that hangs, is undefined on a device, or stopped it.
class Fault : public std::runtime_error {
public:
  enum class Kind { divergent_barrier, deadlock, barrier_in_loops, bad_argument, trap };

  Fault(Kind kind_, std::string kernel_, uint3 block_, uint3 thread_, int line_, const std::string& text)
      : std::runtime_error(text), kind(kind_), kernel(std::move(kernel_)), block(block_), thread(thread_),
        line(line_) {}

  Kind kind;
  std::string kernel; ///< as written in the launch
  uint3 block;
  uint3 thread; ///< one thread that took part
  int line;     ///< of the call at which that thread stood; 0 if unknown
};

/// One kernel launch, without its types.
struct Launch {
  std::string kernel; ///< as written in the launch
  Place place;        ///< of the launch
  dim3 grid;
  dim3 block;
  void (*run)(const void*) = nullptr; ///< runs the calling CUDA thread
  const void* arguments = nullptr;
  Settings settings;
  std::vector<uint3> thread_indices; ///< of thread 0, 1, …: x fastest
};

inline std::string to_string(uint3 v) {
  return join("(", v.x, ",", v.y, ",", v.z, ")");
}

inline Fault make_fault(Fault::Kind kind, const Launch& launch, uint3 block, uint3 thread, int line,
                        const std::string& what) {
  return Fault(kind, launch.kernel, block, thread, line,
               join("kernel ", launch.kernel, " launched at ", to_string(launch.place), ", block ",
                    to_string(block), ", thread ", to_string(thread), ": ", what));
}

enum class BarrierKind : std::uint8_t { plain, count, conjunction, disjunction };

enum class WarpOperation : std::uint8_t { sync, shuffle, ballot, any, all };

inline constexpr unsigned wave = HEDDLE_EMULATION_WAVE;
static_assert(wave == 32u || wave == 64u, "a wave has 32 or 64 threads");

/// A bit for each lane of a wave.
using Lanes = std::uint64_t;
inline constexpr Lanes all_lanes = ~Lanes{0} >> (64u - wave);

/// What a thread hands in when it calls a warp collective.
struct WarpCall {
  WarpOperation operation = WarpOperation::sync;
  Lanes mask = 0;
  std::uint64_t value = 0; ///< the bits to be read by others, or the predicate
  unsigned source = 0;     ///< shuffle: the lane to be read
  Place place;
};

/// Runs the blocks of a launch, one after the other, and is called back by the intrinsics of the running
/// thread.
class Executor {
public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  /// Throws Fault, or whatever the kernel threw. `number` is the block's place in the grid.
  virtual void run_block(const Launch& launch, uint3 block, std::uint64_t number) = 0;
  /// Waits for the block; returns the count, conjunction or disjunction of the predicates.
  virtual int barrier(BarrierKind kind, int predicate, const Place& place) = 0;
  /// Waits for the lanes in the mask; returns the bits read, or the vote.
  virtual std::uint64_t warp(const WarpCall& call) = 0;
  /// The fault of the calling thread at this place.
  virtual Fault fault(Fault::Kind kind, const Place& place, const std::string& what) const = 0;
};

inline constinit thread_local Executor* active = nullptr;

/// The executor of the calling CUDA thread; throws std::logic_error outside a kernel.
inline Executor& executor(const Place& place) {
  if (active == nullptr)
    throw std::logic_error(join("a CUDA intrinsic was called outside a kernel at ", to_string(place)));
  return *active;
}

/// The calling thread's number in its block, x fastest, and its lane.
inline unsigned thread_number() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned lane_number() {
  return thread_number() % wave;
}

} // namespace heddle::emulation

#endif
