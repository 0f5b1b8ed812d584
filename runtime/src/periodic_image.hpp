// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PERIODIC_IMAGE_HPP
#define HEDDLE_PERIODIC_IMAGE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/index_list.hpp"
#include "wrap.hpp"

namespace heddle {

/// The cell of the list's box that a cell beside it is, along the periodic axes. Where the list does not
/// span an axis the other side is a ghost cell, and stays where it is.
inline std::array<std::int64_t, 3> periodic_image(const IndexList& list, const std::array<bool, 3>& periodic,
                                                  std::array<std::int64_t, 3> cell) {
  const Box& box = list.box();
  for (std::size_t a = 0; a < 3; ++a) {
    if (periodic[a] && list.spans(a))
      cell[a] = box.lower[a] + wrap(cell[a] - box.lower[a], box.upper[a] - box.lower[a]);
  }
  return cell;
}

} // namespace heddle

#endif
