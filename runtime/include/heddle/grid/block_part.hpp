// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_BLOCK_PART_HPP
#define HEDDLE_GRID_BLOCK_PART_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field_view.hpp"

namespace heddle {

/// A part of the cells of each block, for a sweep that is split: the border, within `width[d]` cells of both
/// faces across axis d, or the interior, which is everything else. Border and interior are disjoint and cover
/// the block.
struct BlockPart {
  enum class Cells { all, border, interior };

  Cells cells = Cells::all;
  std::array<int, 3> width{0, 0, 0};
  /// The interior can be split into `slices` layers along z; this is layer number `slice`.
  int slice = 0;
  int slices = 1;
  /// The number of one box of the border; by default all of them. Used for sweeps that are `in_boxes`.
  int box = -1;

  /// The part of a block with `extent` cells, counted from its first one, in boxes that do not meet; may be
  /// none. Border boxes are whole across the later axes first (planes, then rows), which is how memory likes
  /// them.
  [[nodiscard]] std::vector<Box> boxes(const std::array<std::int64_t, 4>& extent) const;
};

/// Axes whose borders depend on messages: a block of `rank` exchanges data with a block of another rank
/// across a face, an edge or a corner that lies beyond a face across this axis.
[[nodiscard]] std::array<bool, 3> axes_to_other_ranks(const BlockGrid& grid, int rank);

/// The view of the cells of `box`, counted from the first interior cell of `view`.
template <class T>
[[nodiscard]] constexpr FieldView<T> part(const FieldView<T>& view, const Box& box) noexcept {
  return {
      view.data() + box.lower[0] * view.stride(0) + box.lower[1] * view.stride(1) +
          box.lower[2] * view.stride(2),
      {box.upper[0] - box.lower[0], box.upper[1] - box.lower[1], box.upper[2] - box.lower[2], view.extent(3)},
      view.strides()};
}

} // namespace heddle

#endif
