// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/block_walls.hpp"

#include <cstddef>

namespace heddle {

std::uint32_t walls_around(const BlockGrid& grid, const Box& cells) noexcept {
  std::uint32_t walls = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid.periodic()[axis]) continue;
    if (cells.lower[axis] == grid.domain().lower[axis]) walls |= 1U << (2 * axis);
    if (cells.upper[axis] == grid.domain().upper[axis]) walls |= 2U << (2 * axis);
  }
  return walls;
}

} // namespace heddle
