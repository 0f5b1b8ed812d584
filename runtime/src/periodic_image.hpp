// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PERIODIC_IMAGE_HPP
#define HEDDLE_PERIODIC_IMAGE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/box.hpp"

namespace heddle {

/// The cell of the box that a cell beside it is, along the periodic axes.
inline std::array<std::int64_t, 3> periodic_image(const Box& box, const std::array<bool, 3>& periodic,
                                                  std::array<std::int64_t, 3> cell) {
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t n = box.upper[a] - box.lower[a];
    if (periodic[a]) cell[a] = box.lower[a] + ((cell[a] - box.lower[a]) % n + n) % n;
  }
  return cell;
}

} // namespace heddle

#endif
