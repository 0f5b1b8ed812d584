// SPDX-License-Identifier: Apache-2.0
#include "border_axes.hpp"

#include <algorithm>

#include "heddle/grid/block_part.hpp"

namespace heddle {

std::array<bool, 3> border_axes(const ExchangeBase& exchange) {
  const BlockGrid& grid = *exchange.grid();
  std::array<bool, 3> found = axes_to_other_ranks(grid, exchange.rank());
  if (std::ranges::none_of(found, [](bool leads) { return leads; })) return found;
  const int first = grid.first_block(exchange.rank());
  const int blocks = grid.first_block(exchange.rank() + 1) - first;
  for (const ExchangedField& field : exchange.fields()) {
    for (int block = 0; field.interleaved > 1 && block < blocks; ++block) {
      const Box& one = grid.block(first + block);
      const Box& head = grid.block(first + block - block % field.interleaved);
      for (const std::size_t axis : {1U, 2U})
        found[axis] = found[axis] || one.lower[axis] != head.lower[axis];
    }
  }
  return found;
}

} // namespace heddle
