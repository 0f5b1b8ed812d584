// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_START_HPP
#define HEDDLE_EMULATION_START_HPP

#include "error.hpp"
#include "executor.hpp"
#include "fibers.hpp"
#include "launch.hpp"
#include "loops.hpp"
#include "shared.hpp"
#include "threads.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace heddle::emulation {

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

HEDDLE_EMULATION_START cudaError_t start(Launch& launch, const cudaLaunchConfig_t& config) {
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

} // namespace heddle::emulation

#endif
