// SPDX-License-Identifier: Apache-2.0
// The table of a list whose links lead to cells, some of them held behind walls (Link::held).
#include <algorithm>
#include <string>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/sparse/index_list.hpp"
#include "solid_boundary_nodes.hpp"

namespace heddle {

void IndexList::hold_cells(const std::array<bool, 3>& periodic, std::span<const Link> links, Memory memory) {
  std::array<CellRange, 3> own;
  for (std::size_t d = 0; d < 3; ++d)
    own[d] = {box_.lower[d] - around_.lower[d], box_.upper[d] - around_.lower[d]};
  SolidBoundaryNodes cells({around_.extents(), bits_, pieces_}, own, periodic, links);
  held_ = cells.held();
  constexpr std::int64_t last_number = 0xFFFFFFFELL;
  if (known_ + held_ > last_number) {
    throw Error("IndexList",
                "the numbers of " + std::to_string(known_ + held_) + " cells do not fit into 32-bit indices",
                "split the domain into blocks");
  }
  held_places_ = cells.among_ghosts();
  for (std::array<std::int64_t, 3>& cell : held_places_) {
    for (std::size_t d = 0; d < 3; ++d)
      cell[d] += around_.lower[d];
  }
  lay_out(memory);
  rows_ = static_cast<int>(links.size());
  Buffer<std::uint32_t> table(rows_ * neighbour_stride_, memory == Memory::device ? Memory::host : memory,
                              Buffer<std::uint32_t>::Contents::undefined);
  cells.number(known_, [this](std::int64_t row, std::uint32_t* numbers) {
    for_known(row, [&](std::int64_t n, std::int64_t column, Kind) {
      numbers[column] = static_cast<std::uint32_t>(n);
    });
  });
  cells.fill(table.data(), neighbour_stride_);
  for (int r = 0; r < rows_; ++r) { // padding: own cell
    std::uint32_t* const entries = table.data() + r * neighbour_stride_;
    for (std::int64_t n = known_ + held_; n < neighbour_stride_; ++n)
      entries[n] = static_cast<std::uint32_t>(std::min(n, cells_ - 1));
  }
  table_ = memory == Memory::device ? Buffer<std::uint32_t>(table.span(), memory) : std::move(table);
}

} // namespace heddle
