// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_LAUNCH_HPP
#define HEDDLE_EMULATION_LAUNCH_HPP

#include "error.hpp"
#include "executor.hpp"
#include "fibers.hpp"
#include "loops.hpp"
#include "shared.hpp"
#include "stream.hpp"
#include "threads.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePriority = 8
};

union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
  int priority;
};

struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  char pad[8 - sizeof(cudaLaunchAttributeID)];
  cudaLaunchAttributeValue val;
};

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};

namespace heddle::emulation {

inline constexpr std::size_t largest_dynamic_shared = 227 * 1024; // sm_90

inline std::string& report_text() {
  static thread_local std::string text;
  return text;
}

/// What the last launch of this thread that failed had to say; cudaGetErrorString is not so talkative.
inline const std::string& last_report() {
  return report_text();
}

/// The dynamic shared memory of the running block, dynamicSmemBytes long.
inline std::vector<std::byte>& dynamic_shared_storage() {
  static std::vector<std::byte> storage;
  return storage;
}
template <class T> T* dynamic_shared() {
  return reinterpret_cast<T*>(dynamic_shared_storage().data());
}

/// The kernel's name in the text "&config, kernel<a, b>, arguments…".
inline std::string kernel_name(const char* text) {
  std::string name;
  int depth = 0;
  int argument = 0;
  for (; *text != '\0' && argument < 2; ++text) {
    const char c = *text;
    depth += c == '(' || c == '[' || c == '{' || c == '<'   ? 1
             : c == ')' || c == ']' || c == '}' || c == '>' ? -1
                                                            : 0;
    if (c == ',' && depth == 0)
      ++argument;
    else if (argument == 1 && !(name.empty() && (c == ' ' || c == '&')))
      name += c;
  }
  return name;
}

/// What a device would answer to this configuration; explains in last_report().
inline cudaError_t check(const Launch& launch, const cudaLaunchConfig_t& config) {
  const auto refuse = [&](cudaError_t error, const auto&... why) {
    report_text() = join("kernel ", launch.kernel, " launched at ", to_string(launch.place), ": ", why...);
    return error;
  };
  const dim3 grid = config.gridDim;
  const dim3 block = config.blockDim;
  if (grid.x == 0u || grid.y == 0u || grid.z == 0u || grid.x > 2147483647u || grid.y > 65535u ||
      grid.z > 65535u)
    return refuse(cudaErrorInvalidConfiguration, "the grid ", to_string(uint3(grid)),
                  " is not within (1,1,1) to (2147483647,65535,65535)");
  if (block.x == 0u || block.y == 0u || block.z == 0u || block.x > 1024u || block.y > 1024u ||
      block.z > 64u || block.x * block.y * block.z > 1024u)
    return refuse(cudaErrorInvalidConfiguration, "the block ", to_string(uint3(block)),
                  " is not within (1,1,1) to (1024,1024,64), or has more ", "than 1024 threads");
  if (config.dynamicSmemBytes > largest_dynamic_shared)
    return refuse(cudaErrorInvalidValue, "more than ", largest_dynamic_shared,
                  " bytes of dynamic shared memory");
  if (config.numAttrs != 0u && config.attrs == nullptr) return refuse(cudaErrorInvalidValue, "attrs is null");
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    const auto& cluster = attribute.val.clusterDim;
    if ((attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0) ||
        (attribute.id == cudaLaunchAttributeClusterDimension && cluster.x * cluster.y * cluster.z != 1u))
      return refuse(cudaErrorNotSupported,
                    "the emulation runs one block at a time: no cooperative grids, no clusters");
  }
  return cudaSuccess;
}

inline Executor& executor_of(Mode mode) {
  static thread_local Fibers
      fibers; // keeps its stacks from launch to launch; a stack stays with its OS thread
  static Loops loops;
  static Threads threads;
  switch (mode) {
  case Mode::loops:
    return loops;
  case Mode::fibers:
    return fibers;
  case Mode::threads:
    return threads;
  case Mode::automatic:
    break;
  }
  if (HEDDLE_EMULATION_TSAN != 0) return threads;
  return fibers;
}

/// Runs all blocks of a valid launch, in the order of the settings.
inline void run_grid(const Launch& launch, std::size_t dynamic_bytes) {
  static std::mutex one_launch_at_a_time;
  const std::lock_guard lock(one_launch_at_a_time);
  struct Leave {
    ~Leave() { active = nullptr; }
  } leave;
  Executor& chosen = executor_of(launch.settings.mode);
  active = &chosen;
  blockDim = launch.block;
  gridDim = launch.grid;
  dynamic_shared_storage().resize(dynamic_bytes);
  const auto run = [&](std::uint64_t number) {
    const std::uint64_t row = number / launch.grid.x;
    blockIdx = {static_cast<unsigned>(number % launch.grid.x), static_cast<unsigned>(row % launch.grid.y),
                static_cast<unsigned>(row / launch.grid.y)};
    poison_shared();
    std::ranges::fill(dynamic_shared_storage(), std::byte{0xff});
    chosen.run_block(launch, blockIdx, number);
  };
  const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  if (launch.settings.order == Order::random) {
    std::vector<std::uint64_t> order(blocks);
    for (std::uint64_t b = 0; b < blocks; ++b)
      order[b] = b;
    arrange(order, launch.settings, ~std::uint64_t{0});
    for (const std::uint64_t b : order)
      run(b);
  } else {
    const bool reverse = launch.settings.order == Order::reverse;
    for (std::uint64_t b = 0; b < blocks; ++b)
      run(reverse ? blocks - 1u - b : b);
  }
}

/// Checks and runs; turns a fault into what the settings ask for.
inline cudaError_t start(Launch& launch, const cudaLaunchConfig_t& config) {
  if (active != nullptr)
    throw active->fault(Fault::Kind::bad_argument, launch.place, "a kernel launches a kernel");
  if (const cudaError_t error = check(launch, config); error != cudaSuccess) return remember(error);
  launch.grid = config.gridDim;
  launch.block = config.blockDim;
  launch.settings = settings();
  for (unsigned z = 0; z < launch.block.z; ++z)
    for (unsigned y = 0; y < launch.block.y; ++y)
      for (unsigned x = 0; x < launch.block.x; ++x)
        launch.thread_indices.push_back({x, y, z});
  try {
    run_grid(launch, config.dynamicSmemBytes);
  } catch (const Fault& fault) {
    report_text() = fault.what();
    remember(cudaErrorLaunchFailure);
    if (launch.settings.on_fault == OnFault::throws) throw;
    return cudaErrorLaunchFailure;
  }
  return cudaSuccess;
}

template <class... Parameters> struct Bound {
  void (*kernel)(Parameters...);
  std::tuple<std::decay_t<Parameters>...> arguments;

  static void run(const void* self) {
    const auto& bound = *static_cast<const Bound*>(self);
    std::apply(bound.kernel, bound.arguments);
  }
};

} // namespace heddle::emulation

template <class... Parameters, class... Arguments>
cudaError_t heddle_emulation_launch(const char* text, const heddle::emulation::Place& place,
                                    const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                    Arguments&&... arguments) {
  using namespace heddle::emulation;
  static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                "the kernel takes another number of arguments");
  Launch launch;
  launch.kernel = kernel_name(text);
  launch.place = place;
  if (config == nullptr) return remember(cudaErrorInvalidValue);
  if (kernel == nullptr) return remember(cudaErrorInvalidDeviceFunction);
  const Bound<Parameters...> bound{kernel, {std::forward<Arguments>(arguments)...}};
  launch.run = &Bound<Parameters...>::run;
  launch.arguments = &bound;
  return start(launch, *config);
}

// A macro, so that a report can name the kernel as it is written in the launch.
#define cudaLaunchKernelEx(...)                                                                              \
  heddle_emulation_launch(#__VA_ARGS__, ::heddle::emulation::here(), __VA_ARGS__)

#endif
