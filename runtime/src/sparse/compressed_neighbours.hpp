// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_SPARSE_COMPRESSED_NEIGHBOURS_HPP
#define HEDDLE_SRC_SPARSE_COMPRESSED_NEIGHBOURS_HPP

#include <cstdint>
#include <span>

#include "heddle/core/buffer.hpp"
#include "heddle/sparse/link.hpp"

namespace heddle {

/// What heddle/device/run.hpp says of runs, for a neighbour table in host memory: entry (r, n) at table[r *
/// stride + n] for 0 <= r < rows and 0 <= n < cells, a multiple of run_cells. Number [c * rows + r] belongs
/// to chunk c and row r; segments follow behind the numbers, chunk after chunk.
[[nodiscard]] Buffer<std::uint32_t> runs_of(const std::uint32_t* table, std::int64_t stride, int rows,
                                            std::int64_t cells);

/// The compressed form, as heddle/device/compressed_neighbours.hpp says, of a neighbour table in host memory:
/// entry (r, n) at table[r * stride + n] for 0 <= n < cells, a multiple of 32. Slots of fields lie
/// `slot_stride` apart. Empty where a word has too few bits for the links. Throws Error where the deltas need
/// more words than a word can count.
[[nodiscard]] Buffer<std::uint32_t> compressed(const std::uint32_t* table, std::int64_t stride,
                                               std::int64_t cells, std::span<const Link> links,
                                               std::int64_t slot_stride);

} // namespace heddle

#endif
