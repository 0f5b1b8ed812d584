// SPDX-License-Identifier: Apache-2.0
// The table of a list whose links lead to elements: it has implicit bounce-back and free slip
// (heddle/sparse/link.hpp).
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "compressed_neighbours.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/grid/positive_modulo.hpp"
#include "heddle/sparse/index_list.hpp"
#include "row_cells.hpp"
#include "specular_links.hpp"

namespace heddle {

namespace {

constexpr std::int64_t last_element = 0xFFFFFFFELL; // that has a number of 32 bits

} // namespace

void IndexList::build_table(const std::array<bool, 3>& periodic, std::span<const Link> links, Memory memory,
                            const std::array<bool, 6>& slips) {
  const SpecularLinks mirror(links, periodic, slips);
  std::int64_t reach = 0; // of the links along x
  for (std::size_t r = 0; r < links.size(); ++r) {
    const std::string row = "row " + std::to_string(r);
    if (links[r].slot < 0 || links[r].wall_slot < 0) throw Error("IndexList", row + " names a negative slot");
    const std::int64_t highest = std::max(links[r].slot, links[r].wall_slot);
    if (highest > (last_element - cells_ + 1) / slot_stride_) {
      throw Error("IndexList",
                  row + ": a flat index into slot " + std::to_string(highest) + " of " +
                      std::to_string(known_) + " cells does not fit into 32 bits",
                  "split the domain into blocks of at most " + std::to_string(last_element / (highest + 1)) +
                      " listed cells");
    }
    reach = std::max<std::int64_t>(reach, std::abs(static_cast<std::int64_t>(links[r].offset[0])));
  }
  rows_ = static_cast<int>(links.size());

  // The number of every cell of the box, `nobody` where it is not listed; in x with as many columns beyond
  // each end as links reach, so that a row of the table is read from it without a test at the ends.
  const std::int64_t nx = around_.extent(0);
  const std::int64_t ny = around_.extent(1);
  const std::int64_t nz = around_.extent(2);
  const std::int64_t pitch = nx + 2 * reach;
  Buffer<std::uint32_t> numbers(pitch * ny * nz, Memory::host, Buffer<std::uint32_t>::Contents::undefined);
  parallel_ranges(ny * nz, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      std::uint32_t* row = numbers.data() + r * pitch + reach;
      const std::uint64_t* words = bits_.data() + r * words_;
      std::array<std::uint32_t, 3> next{};
      for (const Kind kind : {inner, rim, ghost})
        next[kind] = static_cast<std::uint32_t>(first_of(kind, r));
      std::int64_t done = 0;
      for_pieces(r, [&](std::int64_t from, std::int64_t to, Kind kind) {
        std::fill(row + done, row + from, nobody);
        done = to;
        std::uint32_t n = next[kind];
        for (std::int64_t x = from; x < to; ++x) {
          const auto bit = static_cast<std::uint32_t>((words[x / 64] >> (x % 64)) & 1U);
          row[x] = bit != 0 ? static_cast<std::uint32_t>(ordered(n)) : nobody;
          n += bit;
        }
        next[kind] = n;
      });
      std::fill(row + done, row + nx, nobody);
      for (std::int64_t x = 1; x <= reach; ++x) {
        row[-x] = periodic[0] ? row[positive_modulo(-x, nx)] : nobody;
        row[nx - 1 + x] = periodic[0] ? row[positive_modulo(nx - 1 + x, nx)] : nobody;
      }
    }
  });
  const std::vector<std::uint32_t> outside(static_cast<std::size_t>(pitch), nobody);

  using Table = Buffer<std::uint32_t>;
  Table table(rows_ * neighbour_stride_, memory == Memory::device ? Memory::host : memory,
              Table::Contents::undefined);
  std::uint32_t* const entries = table.data();
  const std::int64_t stride = neighbour_stride_;

  // Threads share the listed cells, not the rows: first touch then is that of kernels over equal ranges of
  // cells.
  const auto row_before = [&](std::int64_t n) { // first row with n or more listed cells before it
    const std::int64_t box_rows = ny * nz;
    std::int64_t low = 0;
    std::int64_t high = box_rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const auto i = static_cast<std::size_t>(middle);
      if (before_[inner][i] + before_[rim][i] + before_[ghost][i] < n) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  parallel_ranges(known_, [&](std::int64_t first_cell, std::int64_t last_cell) {
    const std::int64_t first_row = row_before(first_cell);
    const std::int64_t last_row = last_cell == known_ ? ny * nz : row_before(last_cell);
    RowCells cells;
    for (std::int64_t r = first_row; r < last_row; ++r) {
      const std::uint32_t* row = numbers.data() + r * pitch + reach;
      cells.take(row, nx);
      for (std::size_t l = 0; l < links.size(); ++l) {
        const Link& link = links[l];
        std::int64_t y = r % ny + link.offset[1];
        std::int64_t z = r / ny + link.offset[2];
        if (periodic[1]) y = positive_modulo(y, ny);
        if (periodic[2]) z = positive_modulo(z, nz);
        unsigned turned = 0; // bit of each axis along which the link comes back from a face
        if (mirror.turns(1, y, ny)) {
          turned |= 2U;
          y = r % ny;
        }
        if (mirror.turns(2, z, nz)) {
          turned |= 4U;
          z = r / ny;
        }
        const bool inside = y >= 0 && y < ny && z >= 0 && z < nz;
        const std::uint32_t* beside =
            (inside ? numbers.data() + (y + ny * z) * pitch : outside.data()) + reach;
        const auto wall = static_cast<std::uint32_t>(link.wall_slot * slot_stride_);
        std::uint32_t* const to = entries + static_cast<std::int64_t>(l) * stride;
        cells.fill(row, beside + link.offset[0],
                   static_cast<std::uint32_t>(links[mirror(l, turned)].slot * slot_stride_), wall, to);
        const std::int64_t end = link.offset[0] < 0 ? 0 : nx - 1; // the cell whose link leads out along x
        if (mirror.turns(0, end + link.offset[0], nx) && row[end] != nobody) {
          const auto slot = static_cast<std::uint32_t>(links[mirror(l, turned | 1U)].slot * slot_stride_);
          to[row[end]] = beside[end] == nobody ? wall + row[end] : slot + beside[end];
        }
      }
    }
  });
  for (std::size_t l = 0; l < links.size(); ++l) { // padding: own cell
    std::uint32_t* to = entries + static_cast<std::int64_t>(l) * stride;
    for (std::int64_t n = known_; n < stride; ++n) {
      to[n] = static_cast<std::uint32_t>(links[l].wall_slot * slot_stride_ + std::min(n, cells_ - 1));
    }
  }

  if (memory == Memory::device) {
    table_ = Table(rows_ * neighbour_stride_, memory, Table::Contents::undefined);
    table_.copy_from(table);
    chunks_->words =
        Table(compressed(table.data(), neighbour_stride_, cells_, links, slot_stride_).span(), memory);
  } else {
    runs_ = runs_of(table.data(), neighbour_stride_, rows_, cells_);
    table_ = std::move(table);
    chunks_->links.assign(links.begin(), links.end());
  }
}

} // namespace heddle
