// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_BLOCK_GRID_HPP
#define HEDDLE_GRID_BLOCK_GRID_HPP

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/grid/box.hpp"

namespace heddle {

/// A domain split into a Cartesian grid of blocks. Block sizes differ by at most one cell along an axis;
/// slabs are sized by their weights. Each rank owns blocks with consecutive numbers. Blocks are numbered x
/// fastest, i = i_x + n_x (i_y + n_y i_z), and the numbers of blocks per rank differ by at most one. In a
/// balanced grid, blocks are numbered along Hilbert's curve, some positions may have no block, and the
/// weights per rank are as equal as whole blocks allow.
class BlockGrid {
public:
  /// Throws Error for an empty domain, a block count below one, more blocks than cells along an axis, or
  /// ranks without a block.
  explicit BlockGrid(const Box& domain, const std::array<int, 3>& blocks = {1, 1, 1},
                     const std::array<bool, 3>& periodic = {false, false, false}, int ranks = 1);

  /// A grid with weighted blocks. weights: one per position, x fastest, for example the number of fluid cells
  /// (heddle/grid/block_kinds.hpp). Positions of weight 0 have no block: fields have no values there, and
  /// nothing is exchanged with them. Throws Error as above, for a wrong number of weights, for a negative
  /// weight, and for fewer blocks with weight than ranks.
  [[nodiscard]] static BlockGrid balanced(const Box& domain, const std::array<int, 3>& blocks,
                                          const std::array<bool, 3>& periodic, int ranks,
                                          std::span<const std::int64_t> weights);

  /// One block per rank: slabs across the longest axis (the last one of several equal axes), cut so that
  /// their weights are equal. weights: one byte per cell, x fastest, for example the flags of fluid cells.
  /// Throws Error for an empty domain, for a number of weights that differs from the number of cells, and for
  /// fewer layers than ranks.
  [[nodiscard]] static BlockGrid slabs(const Box& domain, const std::array<bool, 3>& periodic, int ranks,
                                       std::span<const std::uint8_t> weights);

  [[nodiscard]] const Box& domain() const noexcept { return domain_; }
  [[nodiscard]] const std::array<int, 3>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const std::array<bool, 3>& periodic() const noexcept { return periodic_; }

  /// Number of blocks, and of positions, which may be empty.
  [[nodiscard]] int size() const noexcept { return static_cast<int>(place_of_.size()); }
  [[nodiscard]] int places() const noexcept { return blocks_[0] * blocks_[1] * blocks_[2]; }
  /// Cells of block `i` in domain coordinates; throws Error for an unknown block.
  [[nodiscard]] const Box& block(int i) const;
  /// Place (i_x, i_y, i_z) of block `i` in the grid of blocks.
  [[nodiscard]] std::array<int, 3> place(int i) const;
  /// Block at `place`, -1 where there is none; throws Error outside the grid.
  [[nodiscard]] int index(const std::array<int, 3>& place) const;
  /// Cells at `place`, whether there is a block or not; throws Error outside the grid.
  [[nodiscard]] Box cells_at(const std::array<int, 3>& place) const;
  /// Place of `cell`, which must lie in the domain.
  [[nodiscard]] std::array<int, 3> place_of(const std::array<std::int64_t, 3>& cell) const noexcept;
  /// Block next to `i` in direction `offset` (any integers; periodic axes wrap around); -1 beyond the domain
  /// or at an empty position.
  [[nodiscard]] int neighbour(int i, const std::array<int, 3>& offset) const;
  /// The position in the domain of `cell`, which may lie beyond periodic faces.
  [[nodiscard]] std::array<std::int64_t, 3> in_domain(std::array<std::int64_t, 3> cell) const noexcept;
  /// Block that owns `cell`; -1 outside the domain and at empty positions.
  [[nodiscard]] int owner(const std::array<std::int64_t, 3>& cell) const noexcept;
  /// Ranks that share the blocks.
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  /// Rank that owns block `i`; throws Error for an unknown block.
  [[nodiscard]] int rank(int i) const;
  /// The first block of a rank; the first block of rank ranks() is size().
  [[nodiscard]] int first_block(int rank) const;
  /// The same blocks, with the same numbers, all owned by one rank.
  [[nodiscard]] BlockGrid on_one_rank() const;

  friend bool operator==(const BlockGrid&, const BlockGrid&) = default;

private:
  Box domain_;
  std::array<int, 3> blocks_;
  std::array<bool, 3> periodic_;
  void number(const std::vector<int>& places, std::vector<int> first);
  [[nodiscard]] int flat(const std::array<int, 3>& place) const;

  std::array<std::vector<std::int64_t>, 3> cuts_; // of each axis: where blocks begin; the end last
  int ranks_;
  std::vector<Box> boxes_;     // of each block
  std::vector<int> place_of_;  // of each block: its place, x fastest
  std::vector<int> number_at_; // of each place: its block, or -1
  std::vector<int> first_;     // of each rank: its first block; the number of blocks last
};

/// Throws Error if several ranks share the blocks: `user` needs all blocks, but only those of one rank are
/// available here.
void require_one_rank(const char* user, const BlockGrid& grid);

} // namespace heddle

#endif
