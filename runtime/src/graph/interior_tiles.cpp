// SPDX-License-Identifier: Apache-2.0
#include "interior_tiles.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "heddle/grid/box.hpp"

namespace heddle {

namespace {

constexpr int default_tiles = 4;
/// Smaller ones cost more to begin than their overlap gains: a step of 2^21 cells takes some 40 us on an
/// H200.
constexpr std::int64_t smallest_tile = 1 << 18;

} // namespace

int interior_tiles(const BlockGrid& grid, int rank, const std::array<int, 3>& width, int reach, int wanted) {
  std::int64_t cells = 0;
  std::int64_t layers = std::numeric_limits<std::int64_t>::max(); // of the thinnest interior
  for (int block = grid.first_block(rank); block < grid.first_block(rank + 1); ++block) {
    const Box inner = grid.block(block).grow({-width[0], -width[1], -width[2]});
    if (inner.empty()) continue;
    cells += inner.volume();
    layers = std::min(layers, inner.extents()[2]);
  }
  if (cells == 0) return 1;
  const std::int64_t tiles = wanted > 0 ? wanted : cells >= default_tiles * smallest_tile ? default_tiles : 1;
  const std::int64_t most = std::min<std::int64_t>(max_interior_tiles, layers / std::max(reach, 1));
  const auto found = static_cast<int>(std::min(tiles, most));
  return found < 3 ? 1 : found;
}

} // namespace heddle
