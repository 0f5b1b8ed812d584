// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_INDEX_LIST_HPP
#define HEDDLE_INDEX_LIST_HPP

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/box.hpp"
#include "heddle/buffer.hpp"
#include "heddle/cell_range.hpp"
#include "heddle/link.hpp"

namespace heddle {

/// The listed cells of a box, numbered n = 0, 1, …, and the table of their neighbours.
///
/// Order: interior cells first, then border cells (within one cell of a face that is communicated); within
/// each, row-major, x fastest. Entry (row r, cell n) of the table is a flat element index `slot *
/// slot_stride() + cell` into a SparseField, with walls folded in as Link says (lbm.md, section 6; Bailey et
/// al. 2009 for AA). Cells count() <= n < cells() are padding to a whole number of 32: their entries point to
/// themselves.
class IndexList {
public:
  /// `flags`: one byte a cell of `box`, x fastest; 0 = not listed.
  /// `communicates`: faces -x, +x, -y, +y, -z, +z whose cells belong to the border. `slips`: faces without
  /// friction, at which the table has free slip as it has bounce-back at walls: what would come from beyond
  /// such a face is the mirrored population of the cell beside the own one (specular reflection half-way
  /// behind the face), or bounce-back where that is not listed. It costs nothing, and no two cells touch one
  /// element for AA either. Throws Error when the number of flags is not the volume of the box, no cell is
  /// listed, there are no links or a slot is negative, or a flat index does not fit 32 bits; for a face that
  /// slips also when its axis is periodic, or a link has no mirror image or reaches further than one cell.
  IndexList(const Box& box, std::span<const std::uint8_t> flags, const std::array<bool, 3>& periodic,
            std::span<const Link> links, Memory memory = Memory::host,
            const std::array<bool, 6>& communicates = {false, false, false, false, false, false},
            const std::array<bool, 6>& slips = {false, false, false, false, false, false});

  [[nodiscard]] const Box& box() const noexcept { return box_; }
  [[nodiscard]] Memory memory() const noexcept { return table_.memory(); }
  /// Listed cells.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  /// Listed cells and padding.
  [[nodiscard]] std::int64_t cells() const noexcept { return cells_; }
  [[nodiscard]] CellRange interior() const noexcept { return {0, interior_}; }
  [[nodiscard]] CellRange border() const noexcept { return {interior_, count_}; }
  [[nodiscard]] CellRange all() const noexcept { return {0, count_}; }

  /// Elements between two slots of a field over this list: a multiple of 16 (64 bytes of f32), >= cells(),
  /// such that the slots of 19 streams fall on different cache sets whether a value has 2, 4 or 8 bytes. On a
  /// device whole pieces of 256 bytes, as rows of a dense field there.
  [[nodiscard]] std::int64_t slot_stride() const noexcept { return slot_stride_; }

  /// The table, in memory(): entry (r, n) at neighbour()[r * neighbour_stride() + n].
  [[nodiscard]] const std::uint32_t* neighbour() const noexcept { return table_.data(); }
  [[nodiscard]] std::int64_t neighbour_stride() const noexcept { return neighbour_stride_; }
  [[nodiscard]] int rows() const noexcept { return rows_; }

  /// Cells for which neighbour_run() gives one number a row.
  static constexpr std::int64_t chunk = 16;
  /// What the list says of the entries of 16 cells and a row: number [c * rows() + r] is the entry (r, c * chunk)
  /// where they follow each other, else it leads to a few pieces that do, as heddle/device/run.hpp says.
  /// Kernels read it instead of the table: 18 numbers in place of 288 on D3Q19. Host memory only; null in
  /// device memory.
  [[nodiscard]] const std::uint32_t* neighbour_run() const noexcept { return runs_.data(); }
  /// Words of the numbers and their pieces.
  [[nodiscard]] std::int64_t neighbour_run_size() const noexcept { return runs_.size(); }

  /// The same table compressed for CUDA kernels, in memory(): for 32 cells and a link one number, and where
  /// the entries do not follow each other 32 small differences, as heddle/device/chunk_links.hpp says. 2.5 B
  /// a cell in a box and 12 to 19 B between spheres instead of 72 B on D3Q19. Null for more than 30 links.
  [[nodiscard]] const std::uint32_t* neighbour_chunk() const noexcept { return chunks_.data(); }
  /// Words of the compressed table.
  [[nodiscard]] std::int64_t neighbour_chunk_size() const noexcept { return chunks_.size(); }

  /// Number of the cell at x, y, z (coordinates of the box); -1 when it is not listed or outside.
  [[nodiscard]] std::int64_t cell_of(std::int64_t x, std::int64_t y, std::int64_t z) const noexcept;
  /// Coordinates of cell `n`; throws Error when 0 <= n < count() does not hold.
  [[nodiscard]] std::array<std::int64_t, 3> position(std::int64_t n) const;

  /// Numbers of the listed cells whose byte in `flags` (laid out as for the constructor) equals `value`,
  /// ascending, in memory(): the listed space of a boundary kernel. May be empty.
  [[nodiscard]] Buffer<std::uint32_t> select(std::span<const std::uint8_t> flags, std::uint8_t value) const;

  /// Numbers of the cells of the row at y, z in ascending x: f(n, x) is called for each listed cell.
  template <class F> void for_row(std::int64_t y, std::int64_t z, F&& f) const;

private:
  [[nodiscard]] std::int64_t row_of(std::int64_t y, std::int64_t z) const noexcept {
    return (y - box_.lower[1]) + box_.extent(1) * (z - box_.lower[2]);
  }
  /// Columns of row r, counted from the box's lower x, that are interior (geometrically): first <= column <
  /// last.
  [[nodiscard]] CellRange inner_columns(std::int64_t row) const noexcept;
  /// Listed cells of row r with first <= column < last.
  [[nodiscard]] std::int64_t listed(std::int64_t row, std::int64_t first, std::int64_t last) const noexcept;
  void check_flags(std::span<const std::uint8_t> flags, const char* where) const;
  void number_cells(std::span<const std::uint8_t> flags, Memory memory);
  void build_table(const std::array<bool, 3>& periodic, std::span<const Link> links, Memory memory,
                   const std::array<bool, 6>& slips);

  Box box_;
  std::array<bool, 6> communicates_;
  std::int64_t count_ = 0;
  std::int64_t interior_ = 0;
  std::int64_t cells_ = 0;
  std::int64_t slot_stride_ = 0;
  std::int64_t neighbour_stride_ = 0;
  int rows_ = 0;
  std::int64_t words_ = 0;                    // 64-bit words a row of the box
  std::vector<std::uint64_t> bits_;           // one bit a cell: listed
  std::vector<std::int64_t> interior_before_; // of each row: interior cells in the rows before it; total last
  std::vector<std::int64_t> border_before_;   // of each row: border cells in the rows before it; total last
  Buffer<std::uint32_t> table_;
  Buffer<std::uint32_t> runs_;
  Buffer<std::uint32_t> chunks_;
};

template <class F> void IndexList::for_row(std::int64_t y, std::int64_t z, F&& f) const {
  const std::int64_t row = row_of(y, z);
  const CellRange inner = inner_columns(row);
  std::int64_t next_interior = interior_before_[static_cast<std::size_t>(row)];
  std::int64_t next_border = interior_ + border_before_[static_cast<std::size_t>(row)];
  const std::int64_t nx = box_.extent(0);
  for (std::int64_t column = 0; column < nx; ++column) {
    const std::uint64_t word = bits_[static_cast<std::size_t>(row * words_ + column / 64)];
    if (((word >> (column % 64)) & 1U) == 0) continue;
    const bool interior = column >= inner.first && column < inner.last;
    f(interior ? next_interior++ : next_border++, column + box_.lower[0]);
  }
}

} // namespace heddle

#endif
