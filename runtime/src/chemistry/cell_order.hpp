// SPDX-License-Identifier: Apache-2.0
// In which order cells are computed.
#ifndef HEDDLE_SRC_CHEMISTRY_CELL_ORDER_HPP
#define HEDDLE_SRC_CHEMISTRY_CELL_ORDER_HPP

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::detail {

/// An order of the cells in which cells of one strip have like weights, and contiguous ranges of strips of
/// equal length, one per thread, have about the same weight: strips are dealt out to the threads from the
/// heaviest on.
[[nodiscard]] std::vector<std::int64_t> cell_order(std::span<const std::int64_t> weights, int threads);

} // namespace heddle::detail

#endif
