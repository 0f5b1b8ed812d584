// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_CELL_NUMBERING_HPP
#define HEDDLE_SPARSE_CELL_NUMBERING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/grid/box.hpp"
#include "heddle/sparse/cell_order.hpp"
#include "heddle/sparse/cell_range.hpp"
#include "heddle/sparse/row_pieces.hpp"

namespace heddle {

/// Numbers n = 0, 1, … of the listed cells of a box: interior cells first, then border cells, then ghost
/// cells. Stores one bit per cell of the box and a few counts per row.
class CellNumbering {
public:
  CellNumbering() = default;
  /// Row by row. `flags`: one byte per cell of `box`, x fastest; 0 = not listed. `pieces`: of its rows.
  CellNumbering(const Box& box, RowPieces pieces, std::span<const std::uint8_t> flags);
  /// Numbers interior and border cells anew, along a curve.
  void sort(CellOrder order);

  [[nodiscard]] const Box& box() const noexcept { return box_; }
  [[nodiscard]] const RowPieces& pieces() const noexcept { return pieces_; }
  /// One bit per cell of the box, set where it is listed; each row begins with a word.
  [[nodiscard]] std::span<const std::uint64_t> bits() const noexcept { return bits_; }
  [[nodiscard]] CellRange interior() const noexcept { return {0, begin_[1]}; }
  [[nodiscard]] CellRange border() const noexcept { return {begin_[1], begin_[2]}; }
  [[nodiscard]] CellRange ghosts() const noexcept { return {begin_[2], begin_[3]}; }

  /// The number of the cell at x, y, z; -1 if it is outside of the box or not listed.
  [[nodiscard]] std::int64_t cell_of(std::int64_t x, std::int64_t y, std::int64_t z) const noexcept;
  /// Coordinates of cell `n`; throws Error if there is none.
  [[nodiscard]] std::array<std::int64_t, 3> position(std::int64_t n) const;

  /// f(n, x) for each interior and border cell of the row at y, z, in ascending x.
  template <class F> void for_row(std::int64_t y, std::int64_t z, F&& f) const;
  /// Writes the number of the cell in each column of row y + extent(1) * z, counted from the box's first;
  /// `nobody` where none is listed.
  void write_row(std::int64_t row, std::uint32_t* columns) const;
  /// The first row with `n` or more listed cells before it.
  [[nodiscard]] std::int64_t row_before(std::int64_t n) const noexcept;

private:
  using Kind = RowPieces::Kind;
  [[nodiscard]] std::int64_t row_of(std::int64_t y, std::int64_t z) const noexcept {
    return (y - box_.lower[1]) + box_.extent(1) * (z - box_.lower[2]);
  }
  void mark(std::int64_t row, const std::uint8_t* flags);
  /// Listed cells of a row with first <= column < last.
  [[nodiscard]] std::int64_t listed(std::int64_t row, std::int64_t first, std::int64_t last) const noexcept;
  /// The first number of each kind in a row, before sorting.
  [[nodiscard]] std::array<std::int64_t, 3> first_of(std::int64_t row) const noexcept {
    const auto r = static_cast<std::size_t>(row);
    return {before_[0][r], begin_[1] + before_[1][r], begin_[2] + before_[2][r]};
  }
  /// The number of the n-th cell row by row.
  [[nodiscard]] std::int64_t ordered(std::int64_t n) const noexcept {
    return number_.empty() || n >= begin_[2] ? n : number_[static_cast<std::size_t>(n)];
  }

  Box box_;
  RowPieces pieces_;
  std::array<std::int64_t, 4> begin_{};             // the first number of each kind; the total last
  std::int64_t words_ = 0;                          // 64-bit words per row
  std::vector<std::uint64_t> bits_;                 // one bit per cell: listed
  std::array<std::vector<std::int64_t>, 3> before_; // of each kind and row: cells in the rows before it
  std::vector<std::uint32_t> number_;               // of the n-th own cell row by row; empty: n
  std::vector<std::uint32_t> row_place_;            // the inverse
};

template <class F> void CellNumbering::for_row(std::int64_t y, std::int64_t z, F&& f) const {
  const std::int64_t row = row_of(y, z);
  std::array<std::int64_t, 3> next = first_of(row);
  for (const auto& [first, last, kind] : pieces_.of(row)) {
    if (kind == RowPieces::ghost) continue;
    for (std::int64_t column = first; column < last; ++column) {
      const std::uint64_t word = bits_[static_cast<std::size_t>(row * words_ + column / 64)];
      if (((word >> (column % 64)) & 1U) != 0) f(ordered(next[kind]++), column + box_.lower[0]);
    }
  }
}

} // namespace heddle

#endif
