// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_INTERIOR_TILES_HPP
#define HEDDLE_SRC_GRAPH_INTERIOR_TILES_HPP

#include <array>

#include "heddle/grid/block_grid.hpp"

namespace heddle {

inline constexpr int max_interior_tiles = 8;

/// Into how many tiles along z (BlockPart::slices) the interiors of the blocks of a rank are taken apart, so
/// that a sweep that reaches `reach` cells far touches in each no more than its two neighbours. width: of the
/// border. wanted: so many, or fewer where a tile would be thinner than that; 0: four where all have cells
/// enough for a device. With less than three, each would wait for all of the step before: then 1.
[[nodiscard]] int interior_tiles(const BlockGrid& grid, int rank, const std::array<int, 3>& width, int reach,
                                 int wanted);

} // namespace heddle

#endif
