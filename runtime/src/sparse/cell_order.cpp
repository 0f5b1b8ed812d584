// SPDX-License-Identifier: Apache-2.0
#include "cell_order.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "heddle/core/parallel.hpp"
#include "heddle/grid/space_filling_curve.hpp"

namespace heddle {

namespace {

/// The lowest 21 bits of a number, two zeros before each.
std::uint64_t spaced(std::uint64_t bits) {
  bits &= 0x1FFFFF;
  bits = (bits | bits << 32U) & 0x1F00000000FFFF;
  bits = (bits | bits << 16U) & 0x1F0000FF0000FF;
  bits = (bits | bits << 8U) & 0x100F00F00F00F00F;
  bits = (bits | bits << 4U) & 0x10C30C30C30C30C3;
  return (bits | bits << 2U) & 0x1249249249249249;
}

} // namespace

std::vector<std::uint32_t> along_curve(CellOrder order, std::span<const std::array<std::uint32_t, 3>> cells) {
  std::uint32_t largest = 0;
  for (const std::array<std::uint32_t, 3>& cell : cells)
    largest = std::max({largest, cell[0], cell[1], cell[2]});
  const auto bits = static_cast<int>(std::bit_width(largest));

  std::vector<std::pair<std::uint64_t, std::uint32_t>> places(cells.size());
  parallel_ranges(static_cast<std::int64_t>(cells.size()), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto& [x, y, z] = cells[static_cast<std::size_t>(i)];
      const std::uint64_t along = order == CellOrder::hilbert ? curve_distance({x, y, z}, bits)
                                                              : spaced(x) | spaced(y) << 1U | spaced(z) << 2U;
      places[static_cast<std::size_t>(i)] = {along, static_cast<std::uint32_t>(i)};
    }
  });
  std::sort(places.begin(), places.end());

  std::vector<std::uint32_t> result(cells.size());
  for (std::size_t n = 0; n < places.size(); ++n)
    result[n] = places[n].second;
  return result;
}

} // namespace heddle
