// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVERS_COLOUR_RANGE_HPP
#define HEDDLE_SOLVERS_COLOUR_RANGE_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/grid/block_grid.hpp"

namespace heddle {

/// The colours first <= c < last of a coloured sweep: all of them on one block, one at a time where an
/// exchange has to follow each.
struct ColourRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// A sweep derives colours from the positions of cells in their block. These are the colours in the domain if
/// each block begins an even number of cells from the domain's corner, and if periodic axes have an even
/// number of cells; throws Error otherwise.
template <class Field> void require_even_blocks(const Field& field, const char* kernel) {
  const BlockGrid& grid = field.grid();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid.periodic()[axis] && (grid.domain().upper[axis] - grid.domain().lower[axis]) % 2 != 0) {
      throw Error(kernel,
                  "periodic axis " + std::to_string(axis) + " of '" + std::string(field.name()) +
                      "' has an odd number of cells, so cells of one colour meet at its ends",
                  "choose an even number of cells");
    }
    for (int b = 0; b < grid.size(); ++b) {
      if ((grid.block(b).lower[axis] - grid.domain().lower[axis]) % 2 != 0) {
        throw Error(kernel,
                    "block " + std::to_string(b) + " of '" + std::string(field.name()) +
                        "' begins at an odd cell, so its colours would not match those of its neighbours",
                    "choose blocks of an even number of cells");
      }
    }
  }
}

} // namespace heddle

#endif
