// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_SAMPLE_HPP
#define HEDDLE_TESTS_SAMPLE_HPP

#include <cstdint>

namespace sample {

/// A value that tells cell and component apart; read_with_vtk.py computes the same.
inline double value(std::int64_t x, std::int64_t y, std::int64_t z, int c) {
  return static_cast<double>(x) + 0.01 * static_cast<double>(y) + 0.0001 * static_cast<double>(z) +
         1000.0 * c;
}

/// Whether the sample list holds a cell.
inline bool listed(std::int64_t x, std::int64_t y, std::int64_t z) {
  return (x + 2 * y + 3 * z) % 5 != 0;
}

} // namespace sample

#endif
