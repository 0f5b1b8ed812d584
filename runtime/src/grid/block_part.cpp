// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/block_part.hpp"

#include <algorithm>
#include <utility>

namespace heddle {

std::vector<Box> BlockPart::boxes(const std::array<std::int64_t, 4>& extent) const {
  const Box whole{{0, 0, 0}, {extent[0], extent[1], extent[2]}};
  if (cells == Cells::all) return {whole};
  Box inner = whole.grow({-width[0], -width[1], -width[2]});
  if (cells == Cells::border) {
    const std::vector<Box> all = inner.empty() ? std::vector<Box>{whole} : subtract(whole, inner);
    if (box < 0) return all;
    return std::cmp_less(box, all.size()) ? std::vector<Box>{all[static_cast<std::size_t>(box)]}
                                          : std::vector<Box>{};
  }
  if (inner.empty()) return {};
  const std::int64_t first = inner.lower[2];
  const std::int64_t layers = inner.upper[2] - first;
  inner.lower[2] = first + layers * slice / slices;
  inner.upper[2] = first + layers * (slice + 1) / slices;
  return inner.empty() ? std::vector<Box>{} : std::vector<Box>{inner};
}

std::array<bool, 3> axes_to_other_ranks(const BlockGrid& grid, int rank) {
  std::array<bool, 3> found{};
  // Faces first; then edges and corners, which count only where none of their axes does yet.
  for (int across = 1; across <= 3; ++across) {
    for (int block = grid.first_block(rank); block < grid.first_block(rank + 1); ++block) {
      for (int side = 0; side < 27; ++side) {
        const std::array<int, 3> offset{side % 3 - 1, side / 3 % 3 - 1, side / 9 - 1};
        if (offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2] != across) continue;
        const int next = grid.neighbour(block, offset);
        if (next < 0 || grid.rank(next) == rank) continue;
        bool known = false;
        std::size_t last = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (offset[axis] == 0) continue;
          known = known || found[axis];
          last = axis;
        }
        if (!known) found[last] = true;
      }
    }
  }
  return found;
}

} // namespace heddle
