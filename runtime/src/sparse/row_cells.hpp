// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_SPARSE_ROW_CELLS_HPP
#define HEDDLE_SRC_SPARSE_ROW_CELLS_HPP

#include <cstdint>
#include <vector>

namespace heddle {

/// The number of no cell.
inline constexpr std::uint32_t nobody = 0xFFFFFFFFU;

/// The numbered cells of one row of a box along x: long runs of numbers that follow each other, which are
/// filled as vectors, and single cells, which are filled one by one but without a branch, because short runs
/// of unknown length would cost a misprediction each.
class RowCells {
public:
  /// Those of a row that holds the number of each column.
  void take(const std::uint32_t* row, std::int64_t columns);

  /// Entries of a neighbour table for these cells and one link. row: as taken; from: the numbers of their
  /// neighbours, column by column. Each gets slot + the neighbour's number, or wall + the own one where there
  /// is nobody; entries[n] is that of cell n.
  void fill(const std::uint32_t* row, const std::uint32_t* from, std::uint32_t slot, std::uint32_t wall,
            std::uint32_t* entries) const;

private:
  struct Run { // columns first <= x < last
    std::uint32_t first;
    std::uint32_t last;
  };
  std::vector<Run> runs_;
  std::vector<std::uint32_t> singles_;
};

} // namespace heddle

#endif
