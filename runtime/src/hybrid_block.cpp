// SPDX-License-Identifier: Apache-2.0
#include "heddle/hybrid_block.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

#include "heddle/hybrid_field.hpp"

namespace heddle {

std::int64_t HybridBlock::element(const std::array<std::int64_t, 3>& cell, int component) const noexcept {
  if (list == nullptr) {
    std::int64_t number = component * stride[3];
    for (std::size_t d = 0; d < 3; ++d)
      number += (cell[d] - box.lower[d]) * stride[d];
    return number;
  }
  const std::int64_t n = list->cell_of(cell[0], cell[1], cell[2]);
  return n < 0 ? none : n + component * stride[3];
}

std::vector<std::int64_t> HybridBlock::elements(const WireBoxes& boxes, std::span<const Link> links) const {
  std::vector<std::int64_t> result;
  for (std::int64_t b = 0; b < boxes.count; ++b) {
    const std::int32_t* const row = boxes.rows + b * WireBoxes::columns;
    const int component = row[1];
    const Link* writer = nullptr; // who writes this slot, seen from where it is written
    for (const Link& link : links) {
      if (link.slot == component) writer = &link;
    }
    Box cells;
    for (std::size_t d = 0; d < 3; ++d) {
      cells.lower[d] = box.lower[d] + row[2 + d];
      cells.upper[d] = cells.lower[d] + row[5 + d];
    }
    for (std::int64_t z = cells.lower[2]; z < cells.upper[2]; ++z) {
      for (std::int64_t y = cells.lower[1]; y < cells.upper[1]; ++y) {
        for (std::int64_t x = cells.lower[0]; x < cells.upper[0]; ++x) {
          std::int64_t number = element({x, y, z}, component);
          if (list != nullptr && writer != nullptr) {
            const auto& [dx, dy, dz] = writer->offset;
            if (list->cell_of(x - dx, y - dy, z - dz) < 0) number = none;
          }
          result.push_back(number);
        }
      }
    }
  }
  return result;
}

std::vector<HybridBlock::WallPair> HybridBlock::walls(std::span<const std::uint8_t> flags,
                                                      std::span<const Link> links) const {
  const Box around = box.grow(1);
  const auto listed = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::int64_t cell =
        x - around.lower[0] +
        around.extent(0) * (y - around.lower[1] + around.extent(1) * (z - around.lower[2]));
    return flags[static_cast<std::size_t>(cell)] != 0;
  };
  std::vector<WallPair> pairs;
  for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
    for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
      for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x) {
        if (!listed(x, y, z)) continue;
        for (const Link& link : links) {
          const std::array<std::int64_t, 3> cell{x + link.offset[0], y + link.offset[1], z + link.offset[2]};
          if (listed(cell[0], cell[1], cell[2])) continue;
          pairs.push_back({element({x, y, z}, link.wall_slot), element(cell, link.slot)});
        }
      }
    }
  }
  return pairs;
}

std::string ListReport::line() const {
  const double count = std::max(1.0, static_cast<double>(cells));
  std::array<char, 160> text{};
  std::snprintf(
      text.data(), text.size(),
      "%d lists of %.3g million cells in %.3g s (%.3g s of processors): %.0f ns and %.0f bytes a cell",
      blocks, static_cast<double>(cells) / 1e6, seconds, cpu_seconds, 1e9 * seconds / count,
      static_cast<double>(bytes) / count);
  return text.data();
}

} // namespace heddle
