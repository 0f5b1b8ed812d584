// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_BLOCK_GRID_HPP
#define HEDDLE_GRID_BLOCK_GRID_HPP

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/grid/box.hpp"

namespace heddle {

/// A domain cut into a Cartesian grid of blocks. Block sizes differ by at most one cell on an axis, in slabs
/// by what their weights ask for. Each rank owns blocks with numbers that follow each other. Blocks are
/// numbered x fastest, i = i_x + n_x (i_y + n_y i_z), and ranks own as many each, or one more; in a balanced
/// grid they are numbered along Hilbert's curve, some places may have no block, and ranks own as much weight
/// each as whole blocks allow.
class BlockGrid {
public:
  /// Throws Error for an empty domain, a block count below one, more blocks than cells on an axis, or ranks
  /// without a block.
  explicit BlockGrid(const Box& domain, const std::array<int, 3>& blocks = {1, 1, 1},
                     const std::array<bool, 3>& periodic = {false, false, false}, int ranks = 1);

  /// A grid whose blocks are weighted: one weight a place, x fastest, such as cells of fluid
  /// (heddle/grid/block_kinds.hpp). Places of weight 0 have no block: fields have no values there, and
  /// nothing is exchanged with them. Throws Error as above, for another number of weights, for a negative
  /// one, and for fewer blocks with weight than ranks.
  [[nodiscard]] static BlockGrid balanced(const Box& domain, const std::array<int, 3>& blocks,
                                          const std::array<bool, 3>& periodic, int ranks,
                                          std::span<const std::int64_t> weights);

  /// One block a rank: slabs across the longest axis (of several the last), cut where their weights are
  /// alike. weights: of each cell, one byte, x fastest, such as the flags of fluid. Throws Error for an empty
  /// domain, another number of weights than cells, and fewer layers than ranks.
  [[nodiscard]] static BlockGrid slabs(const Box& domain, const std::array<bool, 3>& periodic, int ranks,
                                       std::span<const std::uint8_t> weights);

  [[nodiscard]] const Box& domain() const noexcept { return domain_; }
  [[nodiscard]] const std::array<int, 3>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const std::array<bool, 3>& periodic() const noexcept { return periodic_; }

  /// Number of blocks, and of the places for them.
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
  /// Block next to `i` in direction `offset` (any integers, periodic axes wrap); -1 beyond the domain or
  /// where there is none.
  [[nodiscard]] int neighbour(int i, const std::array<int, 3>& offset) const;
  /// `cell`, which may lie beyond periodic faces, at its place in the domain.
  [[nodiscard]] std::array<std::int64_t, 3> in_domain(std::array<std::int64_t, 3> cell) const noexcept;
  /// Block that owns `cell`; -1 outside the domain and where there is no block.
  [[nodiscard]] int owner(const std::array<std::int64_t, 3>& cell) const noexcept;
  /// Ranks that share the blocks.
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  /// Rank that owns block `i`; throws Error for an unknown block.
  [[nodiscard]] int rank(int i) const;
  /// The first block of a rank; that of ranks() is size().
  [[nodiscard]] int first_block(int rank) const;
  /// The same blocks, with the same numbers, all of one rank.
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

/// Throws Error if several ranks share the blocks: `user` looks at all of them, and only those of one rank
/// are here.
void require_one_rank(const char* user, const BlockGrid& grid);

} // namespace heddle

#endif
