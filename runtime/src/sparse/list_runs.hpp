// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_SPARSE_LIST_RUNS_HPP
#define HEDDLE_SRC_SPARSE_LIST_RUNS_HPP

#include <cstdint>

#include "heddle/core/buffer.hpp"

namespace heddle {

/// What heddle/device/run.hpp says of runs, for a neighbour table in host memory: entry (r, n) at table[r *
/// stride + n] for 0 <= r < rows and 0 <= n < cells, a multiple of run_cells. Number [c * rows + r] belongs
/// to chunk c and row r; segments follow behind the numbers, chunk after chunk.
[[nodiscard]] Buffer<std::uint32_t> runs_of(const std::uint32_t* table, std::int64_t stride, int rows,
                                            std::int64_t cells);

} // namespace heddle

#endif
