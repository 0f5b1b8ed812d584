// SPDX-License-Identifier: Apache-2.0
#include "heddle/hybrid/hybrid_block.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "heddle/hybrid/hybrid_field.hpp"

namespace heddle {

namespace {

using Cell = std::array<std::int64_t, 3>;

/// f(cell in coordinates of the domain, component, place in the message buffer) for all cells of the boxes.
template <class F> void for_message(const Box& box, const MessageBoxes& boxes, F&& f) {
  for (std::int64_t b = 0; b < boxes.count; ++b) {
    const std::int32_t* const row = boxes.rows + b * MessageBoxes::columns;
    Box cells;
    for (std::size_t d = 0; d < 3; ++d) {
      cells.lower[d] = box.lower[d] + row[2 + d];
      cells.upper[d] = cells.lower[d] + row[5 + d];
    }
    std::int32_t place = row[8];
    for (std::int64_t z = cells.lower[2]; z < cells.upper[2]; ++z) {
      for (std::int64_t y = cells.lower[1]; y < cells.upper[1]; ++y) {
        for (std::int64_t x = cells.lower[0]; x < cells.upper[0]; ++x)
          f(Cell{x, y, z}, row[1], place++);
      }
    }
  }
}

} // namespace

bool HybridBlock::listed(const Cell& cell) const noexcept {
  if (list != nullptr) return list->cell_of(cell[0], cell[1], cell[2]) >= 0;
  std::int64_t place = 0;
  for (std::size_t d = 3; d-- > 0;)
    place = place * (box.upper[d] - box.lower[d] + 2) + cell[d] - box.lower[d] + 1;
  return flags[static_cast<std::size_t>(place)] != 0;
}

std::int64_t HybridBlock::element(const Cell& cell, int component) const noexcept {
  if (list == nullptr) {
    std::int64_t number = component * stride[3];
    for (std::size_t d = 0; d < 3; ++d)
      number += (cell[d] - box.lower[d]) * stride[d];
    return number;
  }
  const std::int64_t n = list->cell_of(cell[0], cell[1], cell[2]);
  return n < 0 ? none : n + component * stride[3];
}

std::uintptr_t HybridBlock::address(const Cell& cell, int component) const noexcept {
  const std::int64_t number = element(cell, component);
  if (number == none) return IndexedCopy::nothing;
  return reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(number) * value_bytes;
}

void HybridBlock::add_packed(const MessageBoxes& boxes, std::vector<IndexedCopy>& rows) const {
  for_message(box, boxes, [&](const Cell& cell, int component, std::int32_t place) {
    rows.push_back({address(cell, component), static_cast<std::uintptr_t>(place) * value_bytes});
  });
}

void HybridBlock::add_unpacked(const MessageBoxes& boxes, std::span<const Link> links,
                               std::vector<IndexedCopy>& rows) const {
  for_message(box, boxes, [&](const Cell& cell, int component, std::int32_t place) {
    if (!listed(cell)) return;
    for (const Link& link : links) { // who writes this slot
      const auto& [dx, dy, dz] = link.offset;
      if (link.slot == component && !listed({cell[0] - dx, cell[1] - dy, cell[2] - dz})) return;
    }
    rows.push_back({static_cast<std::uintptr_t>(place) * value_bytes, address(cell, component)});
  });
}

void HybridBlock::add_walls(std::span<const Link> links, std::vector<IndexedCopy>& rows) const {
  for (const Link& link : links) { // so that rows beside each other are neighbours in memory
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
      for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
        for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x) {
          const Cell beside{x + link.offset[0], y + link.offset[1], z + link.offset[2]};
          if (!listed({x, y, z}) || listed(beside)) continue;
          rows.push_back({address({x, y, z}, link.wall_slot), address(beside, link.slot)});
        }
      }
    }
  }
}

} // namespace heddle
