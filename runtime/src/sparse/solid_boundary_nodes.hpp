// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_SPARSE_SOLID_BOUNDARY_NODES_HPP
#define HEDDLE_SRC_SPARSE_SOLID_BOUNDARY_NODES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/sparse/cell_numbering.hpp"
#include "heddle/sparse/cell_range.hpp"
#include "heddle/sparse/link.hpp"
#include "heddle/sparse/neighbour_table.hpp"

namespace heddle {

/// Cells behind walls that a list stores populations of (Link::to_cell): those that links of its cells and
/// ghost cells reach and that are not listed, in the box of the list or in a rim around it. Found and
/// numbered row by row as bits, by all threads; the numbers do not depend on these.
class SolidBoundaryNodes {
public:
  /// own: where own cells lie. Where an axis is not periodic and has no ghost cells at an end, there is a rim
  /// as wide as the links reach. The numbers and links must outlive this.
  SolidBoundaryNodes(const CellNumbering& numbers, const Box& own, const std::array<bool, 3>& periodic,
                     std::span<const Link> links);

  /// How many there are.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// Coordinates of those that lie in no block of this rank, in the order of their numbers, which are the
  /// last ones. A cell of the rim counts as the one of the box beside it.
  [[nodiscard]] std::vector<std::array<std::int64_t, 3>> among_ghosts() const;

  /// The neighbour table, for each numbered cell the number of the one at the link's offset, or its own where
  /// that has none.
  [[nodiscard]] NeighbourTable table(const ListLayout& layout);

private:
  void number();
  void fill(std::uint32_t* entries, std::int64_t stride) const;
  [[nodiscard]] std::int64_t rows() const noexcept { return known_[1].size() * known_[2].size(); }
  /// The row of the box and its rims that lies at an offset in y and z.
  [[nodiscard]] std::optional<std::int64_t> row_at(std::int64_t row, std::int64_t y, std::int64_t z) const;
  /// That row of the box, of which `row` is one or lies in the rim beside one.
  [[nodiscard]] std::int64_t row_of_box(std::int64_t row) const;
  [[nodiscard]] bool in_rim(std::int64_t row) const;
  void mark(const Link& link, const std::vector<std::uint64_t>& from);
  /// Bits of the cells that lie in blocks of this rank, or in the rim beside them.
  void mark_own(std::int64_t row, std::vector<std::uint64_t>& own) const;

  const CellNumbering& numbers_;
  std::array<std::int64_t, 3> extent_; // of the box of the list
  std::array<bool, 3> periodic_;
  std::span<const Link> links_;
  std::array<CellRange, 3> known_;    // with the rims
  std::int64_t words_;                // a row
  std::int64_t reach_ = 0;            // of links along x
  std::vector<std::uint64_t> listed_; // one bit per cell, rims with them
  std::vector<std::uint64_t> bits_;   // which are nodes
  std::int64_t size_ = 0;
  std::array<std::vector<std::int64_t>, 2> before_; // of each row: nodes in those before it, own and not
  Buffer<std::uint32_t> columns_; // numbers of each cell, with as many columns at both ends as links reach
  std::int64_t pitch_ = 0;
};

} // namespace heddle

#endif
