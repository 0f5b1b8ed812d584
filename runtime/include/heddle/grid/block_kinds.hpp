// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_BLOCK_KINDS_HPP
#define HEDDLE_GRID_BLOCK_KINDS_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/box.hpp"

namespace heddle {

/// Fills in one byte per cell of `box`, x fastest: 0 = not listed (solid). Called for boxes that extend
/// beyond the domain, and from several threads.
using FlagReader = std::function<void(const Box& box, std::span<std::uint8_t> flags)>;

/// A reader of flags in memory, one byte per cell of the domain; the flags must outlive it. Beyond faces that
/// are not periodic, no cell is listed. Throws Error if the number of flags is not the volume of the domain.
[[nodiscard]] FlagReader flags_in_memory(std::span<const std::uint8_t> flags, const Box& domain,
                                         const std::array<bool, 3>& periodic);

/// How the cells of a block are stored and updated.
enum class BlockKind : std::uint8_t {
  empty,  ///< no cell is listed: there is no block
  listed, ///< a list of cells with a table of neighbours
  dense   ///< all cells of the box, the solid ones too
};

/// Cost of a cell update in bytes of memory traffic. The defaults are those of D3Q19 in place (AA) in f32: 2
/// x 19 values, and 18 neighbour indices every other step. Blocks are therefore dense from a fluid fraction
/// of 152 / 188 = 0.81 on.
struct CellCosts {
  double dense = 152;
  double listed = 188;
};

/// The blocks of a domain, chosen by what is in them.
struct BlockChoice {
  std::vector<std::int64_t> cells;   // listed ones at each place of the grid, x fastest
  std::vector<BlockKind> kinds;      // the cheaper one
  std::vector<std::int64_t> weights; // bytes of one update of the block: for BlockGrid::balanced
};

/// Reads the flags of all cells of the domain, in parallel over positions. Throws Error if no cell is listed.
[[nodiscard]] BlockChoice choose_blocks(const Box& domain, const std::array<int, 3>& blocks,
                                        const FlagReader& flags, const CellCosts& costs = {});

} // namespace heddle

#endif
