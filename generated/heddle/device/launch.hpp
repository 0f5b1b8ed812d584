// SPDX-License-Identifier: MIT-0
// Launches a kernel with one thread per cell. Never waits, never allocates, can be captured in a
// graph.
#ifndef HEDDLE_DEVICE_LAUNCH_HPP
#define HEDDLE_DEVICE_LAUNCH_HPP

#include <cstdint>

#include "heddle/device/gpu.hpp"
#include "heddle/device/preconditions.hpp"

namespace heddle {

/// Cells along each axis that threads are needed for.
struct Cells {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;
};

/// Blocks that a launch can have along y, and along z; along x it can have 2^31 - 1.
inline constexpr std::int64_t most_blocks_across = 65535;

/// The grid of so many blocks; whether a launch can have them.
inline bool grid_of(const Cells& blocks, dim3& grid) {
  if (blocks.x > 2147483647 || blocks.y > most_blocks_across || blocks.z > most_blocks_across) {
    return false;
  }
  grid = dim3(static_cast<unsigned>(blocks.x), static_cast<unsigned>(blocks.y),
              static_cast<unsigned>(blocks.z));
  return true;
}

/// Returns ok, also if there are no cells; extents_differ if these are more blocks than a launch
/// can have; launch_failed if the launch fails.
template <typename... Parameters, typename... Arguments>
int launch(void (*kernel)(Parameters...), Cells cells, dim3 block, void* stream,
           Arguments... arguments) {
  if (cells.x <= 0 || cells.y <= 0 || cells.z <= 0) {
    return ok;
  }
  const auto blocks = [](std::int64_t count, unsigned size) { return (count + size - 1) / size; };
  dim3 grid;
  if (!grid_of({blocks(cells.x, block.x), blocks(cells.y, block.y), blocks(cells.z, block.z)},
               grid)) {
    return extents_differ;
  }
  const bool launched = launch_kernel<Parameters...>(kernel, grid, block, 0, stream,
                                                     static_cast<Parameters>(arguments)...);
  return launched ? ok : launch_failed;
}

}  // namespace heddle

#endif
