// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_PERIODIC_IMAGE_HPP
#define HEDDLE_SPARSE_PERIODIC_IMAGE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/grid/positive_modulo.hpp"
#include "heddle/sparse/index_list.hpp"

namespace heddle {

/// The number of a cell in the list or beside it, which along the periodic axes is one in its box; below 0
/// where that is not listed. Where the list does not span an axis the other side is a ghost cell, and stays
/// where it is.
inline std::int64_t cell_of_image(const IndexList& list, const std::array<bool, 3>& periodic,
                                  std::array<std::int64_t, 3> cell) {
  const Box& box = list.box();
  for (std::size_t a = 0; a < 3; ++a) {
    if (periodic[a] && list.spans(a))
      cell[a] = box.lower[a] + positive_modulo(cell[a] - box.lower[a], box.upper[a] - box.lower[a]);
  }
  return list.cell_of(cell[0], cell[1], cell[2]);
}

} // namespace heddle

#endif
