// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_BLOCK_GRID_HPP
#define HEDDLE_BLOCK_GRID_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "heddle/box.hpp"

namespace heddle {

/// A domain cut into a Cartesian grid of blocks. Block sizes differ by at most one cell on an axis.
/// Blocks are numbered x fastest: i = i_x + n_x (i_y + n_y i_z). Each rank owns blocks with numbers that
/// follow each other; how many differs by at most one.
class BlockGrid {
public:
  /// Throws Error for an empty domain, a block count below one, more blocks than cells on an axis, or ranks
  /// without a block.
  explicit BlockGrid(const Box& domain, const std::array<int, 3>& blocks = {1, 1, 1},
                     const std::array<bool, 3>& periodic = {false, false, false}, int ranks = 1);

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
  /// Ranks that share the blocks.
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  /// Rank that owns block `i`; throws Error for an unknown block.
  [[nodiscard]] int rank(int i) const;
  /// The first block of a rank; that of ranks() is size().
  [[nodiscard]] int first_block(int rank) const;

  friend bool operator==(const BlockGrid&, const BlockGrid&) = default;

private:
  Box domain_;
  std::array<int, 3> blocks_;
  std::array<bool, 3> periodic_;
  int ranks_;
  std::vector<Box> boxes_;
};

/// Throws Error if several ranks share the blocks: `user` looks at all of them, and only those of one rank are here.
void require_one_rank(const char* user, const BlockGrid& grid);

} // namespace heddle

#endif
