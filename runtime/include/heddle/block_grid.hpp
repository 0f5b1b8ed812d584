// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_BLOCK_GRID_HPP
#define HEDDLE_BLOCK_GRID_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "heddle/box.hpp"

namespace heddle {

/// A domain cut into a Cartesian grid of blocks. Block sizes differ by at most one cell on an axis.
/// Blocks are numbered x fastest: i = i_x + n_x (i_y + n_y i_z).
class BlockGrid {
public:
  /// Throws Error for an empty domain, a block count below one, or more blocks than cells on an axis.
  explicit BlockGrid(const Box& domain, const std::array<int, 3>& blocks = {1, 1, 1},
                     const std::array<bool, 3>& periodic = {false, false, false});

  [[nodiscard]] const Box& domain() const noexcept { return domain_; }
  [[nodiscard]] const std::array<int, 3>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const std::array<bool, 3>& periodic() const noexcept { return periodic_; }

  /// Number of blocks.
  [[nodiscard]] int size() const noexcept { return blocks_[0] * blocks_[1] * blocks_[2]; }
  /// Cells of block `i` in domain coordinates; throws Error for an unknown block.
  [[nodiscard]] const Box& block(int i) const;
  /// Place (i_x, i_y, i_z) of block `i` in the grid of blocks.
  [[nodiscard]] std::array<int, 3> place(int i) const;
  /// Block at `place`; throws Error outside the grid.
  [[nodiscard]] int index(const std::array<int, 3>& place) const;
  /// Block next to `i` in direction `offset` (any integers, periodic axes wrap); -1 beyond the domain.
  [[nodiscard]] int neighbour(int i, const std::array<int, 3>& offset) const;
  /// Block that owns `cell` (which must lie in the domain, else -1).
  [[nodiscard]] int owner(const std::array<std::int64_t, 3>& cell) const noexcept;
  /// Process that owns block `i`: 0, for there is one.
  [[nodiscard]] int rank(int i) const;

private:
  Box domain_;
  std::array<int, 3> blocks_;
  std::array<bool, 3> periodic_;
  std::vector<Box> boxes_;
};

} // namespace heddle

#endif
