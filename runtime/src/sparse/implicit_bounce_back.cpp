// SPDX-License-Identifier: Apache-2.0
#include "implicit_bounce_back.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/grid/positive_modulo.hpp"
#include "row_cells.hpp"
#include "specular_links.hpp"

namespace heddle {

namespace {

constexpr std::int64_t last_element = 0xFFFFFFFELL; // that has a number of 32 bits

} // namespace

NeighbourTable implicit_bounce_back(const CellNumbering& numbers, const ListLayout& layout,
                                    const std::array<bool, 3>& periodic, std::span<const Link> links,
                                    const std::array<bool, 6>& slips) {
  const SpecularLinks mirror(links, periodic, slips);
  const std::int64_t slot_stride = layout.slot_stride;
  std::int64_t reach = 0; // of the links along x
  for (std::size_t r = 0; r < links.size(); ++r) {
    const std::string row = "row " + std::to_string(r);
    if (links[r].slot < 0 || links[r].wall_slot < 0) throw Error("IndexList", row + " names a negative slot");
    const std::int64_t highest = std::max(links[r].slot, links[r].wall_slot);
    if (highest > (last_element - layout.cells + 1) / slot_stride) {
      throw Error("IndexList",
                  row + ": a flat index into slot " + std::to_string(highest) + " of " +
                      std::to_string(layout.numbered) + " cells does not fit into 32 bits",
                  "split the domain into blocks of at most " + std::to_string(last_element / (highest + 1)) +
                      " listed cells");
    }
    reach = std::max<std::int64_t>(reach, std::abs(static_cast<std::int64_t>(links[r].offset[0])));
  }

  // The number of every cell of the box, `nobody` where it is not listed; in x with as many columns beyond
  // each end as links reach, so that a row of the table is read from it without a test at the ends.
  const std::int64_t nx = numbers.box().extent(0);
  const std::int64_t ny = numbers.box().extent(1);
  const std::int64_t nz = numbers.box().extent(2);
  const std::int64_t pitch = nx + 2 * reach;
  Buffer<std::uint32_t> columns(pitch * ny * nz, Memory::host, Buffer<std::uint32_t>::Contents::undefined);
  parallel_ranges(ny * nz, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      std::uint32_t* const row = columns.data() + r * pitch + reach;
      numbers.write_row(r, row);
      for (std::int64_t x = 1; x <= reach; ++x) {
        row[-x] = periodic[0] ? row[positive_modulo(-x, nx)] : nobody;
        row[nx - 1 + x] = periodic[0] ? row[positive_modulo(nx - 1 + x, nx)] : nobody;
      }
    }
  });
  const std::vector<std::uint32_t> outside(static_cast<std::size_t>(pitch), nobody);

  Buffer<std::uint32_t> table = NeighbourTable::on_host(layout, links.size());
  // Threads share the listed cells, not the rows: first touch then is that of kernels over equal ranges of
  // cells.
  parallel_ranges(layout.numbered, [&](std::int64_t first_cell, std::int64_t last_cell) {
    const std::int64_t first_row = numbers.row_before(first_cell);
    const std::int64_t last_row = last_cell == layout.numbered ? ny * nz : numbers.row_before(last_cell);
    RowCells cells;
    for (std::int64_t r = first_row; r < last_row; ++r) {
      const std::uint32_t* row = columns.data() + r * pitch + reach;
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
            (inside ? columns.data() + (y + ny * z) * pitch : outside.data()) + reach;
        const auto wall = static_cast<std::uint32_t>(link.wall_slot * slot_stride);
        std::uint32_t* const to = table.data() + static_cast<std::int64_t>(l) * layout.neighbour_stride;
        cells.fill(row, beside + link.offset[0],
                   static_cast<std::uint32_t>(links[mirror(l, turned)].slot * slot_stride), wall, to);
        const std::int64_t end = link.offset[0] < 0 ? 0 : nx - 1; // the cell whose link leads out along x
        if (mirror.turns(0, end + link.offset[0], nx) && row[end] != nobody) {
          const auto slot = static_cast<std::uint32_t>(links[mirror(l, turned | 1U)].slot * slot_stride);
          to[row[end]] = beside[end] == nobody ? wall + row[end] : slot + beside[end];
        }
      }
    }
  });
  return {layout, links, std::move(table)};
}

} // namespace heddle
