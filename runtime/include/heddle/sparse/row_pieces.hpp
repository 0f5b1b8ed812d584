// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_ROW_PIECES_HPP
#define HEDDLE_SPARSE_ROW_PIECES_HPP

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/box.hpp"

namespace heddle {

/// Classification of the cells of a box by position: the rows of the box along x, split into pieces of one
/// kind. Cells between pieces have no kind and do not belong to the list.
class RowPieces {
public:
  enum Kind : std::uint8_t {
    inner, ///< own, and no other block within reach
    rim,   ///< own, beside other blocks
    ghost  ///< of another block, within reach of own cells
  };
  struct Piece {
    std::int64_t first; // column of the box
    std::int64_t last;
    Kind kind;
  };

  /// Of no rows.
  RowPieces() = default;

  /// All cells are own; those in the outermost layer at faces -x, +x, -y, +y, -z, +z that communicate are
  /// rim.
  RowPieces(const Box& box, const std::array<bool, 6>& communicates);

  /// Cells of the blocks of `rank` are own where they lie in `own`; `box` may reach beyond the domain where
  /// that is periodic. reach: of links, along each axis and across corners.
  RowPieces(const Box& box, const Box& own, const BlockGrid& grid, int rank, int reach);

  /// Of row y + extent(1) * z, counted from the box's first; in ascending x.
  [[nodiscard]] std::span<const Piece> of(std::int64_t row) const noexcept {
    const std::size_t alike = of_y_[static_cast<std::size_t>(row % rows_y_)] +
                              alike_y_ * of_z_[static_cast<std::size_t>(row / rows_y_)];
    return {pieces_.data() + begin_[alike], pieces_.data() + begin_[alike + 1]};
  }

private:
  std::int64_t rows_y_ = 1;
  std::vector<std::size_t> of_y_; // of each y: the stretch of alike ones
  std::vector<std::size_t> of_z_;
  std::size_t alike_y_ = 0;        // stretches along y
  std::vector<Piece> pieces_;      // of all rows that are alike in y and z
  std::vector<std::size_t> begin_; // of these
};

} // namespace heddle

#endif
