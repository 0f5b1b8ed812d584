// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_CELL_RANGE_HPP
#define HEDDLE_SPARSE_CELL_RANGE_HPP

#include <cstdint>

namespace heddle {

/// Listed cells first <= n < last.
struct CellRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  [[nodiscard]] std::int64_t size() const noexcept { return last - first; }
  friend bool operator==(const CellRange&, const CellRange&) = default;
};

} // namespace heddle

#endif
