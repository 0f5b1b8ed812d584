// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_BLOCK_WALLS_HPP
#define HEDDLE_GRID_BLOCK_WALLS_HPP

#include <cstdint>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"

namespace heddle {

/// The sides at which `cells`, given in domain coordinates, end at the end of the grid: the sum of 1 west, 2
/// east, 4 south, 8 north, 16 bottom, 32 top. Periodic axes have no end. Kernels with their own walls take it
/// as `walls`.
[[nodiscard]] std::uint32_t walls_around(const BlockGrid& grid, const Box& cells) noexcept;

/// Of a block of a field.
template <class T> [[nodiscard]] std::uint32_t walls_of(const Field<T>& field, int block) noexcept {
  return walls_around(field.grid(), field.box(block));
}

/// Of the cells `part` of a block, counted from its first one.
template <class T>
[[nodiscard]] std::uint32_t walls_of(const Field<T>& field, int block, const Box& part) noexcept {
  return walls_around(field.grid(), part.shift(field.box(block).lower));
}

/// The walls that all blocks interleaved with `block` have: a kernel may apply them to all lanes of its
/// vectors. Other walls are part of the exchange (WallLinks).
template <class T>
[[nodiscard]] std::uint32_t shared_walls(const Field<T>& field, int block, const Box& part) noexcept {
  const int first = block - block % field.interleaved();
  std::uint32_t walls = ~0U;
  for (int lane = 0; lane < field.interleaved(); ++lane)
    walls &= walls_of(field, first + lane, part);
  return walls;
}

/// Of the whole block.
template <class T> [[nodiscard]] std::uint32_t shared_walls(const Field<T>& field, int block) noexcept {
  return shared_walls(field, block, Box{{0, 0, 0}, field.box(block).extents()});
}

/// Throws Error if interleaved blocks of a field on a device end at different sides of `walls`: `kernel`
/// updates a cell of all of them at once.
template <class T> void require_same_walls(const Field<T>& field, std::uint32_t walls, const char* kernel) {
  if (field.memory() != Memory::device) return;
  for (int block = 0; block < field.blocks(); ++block) {
    const int first = block - block % field.interleaved();
    if (((walls_of(field, block) ^ walls_of(field, first)) & walls) == 0) continue;
    throw Error(kernel,
                "blocks " + std::to_string(first) + " and " + std::to_string(block) + " of field '" +
                    std::string(field.name()) +
                    "' are interleaved, but only one of them has a wall at a side",
                "split the grid along axes that have no walls in this kernel");
  }
}

} // namespace heddle

#endif
