// SPDX-License-Identifier: Apache-2.0
// Cells of a block side by side in an order of their own, for kernels whose lanes wait for the slowest.
#ifndef HEDDLE_SRC_CHEMISTRY_PACKED_CELLS_HPP
#define HEDDLE_SRC_CHEMISTRY_PACKED_CELLS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/chemistry/cell_batch.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"

namespace heddle::detail {

/// Numbers of cells, those with most attempts first; cells with equally many keep their order. In time
/// proportional to the cells: this runs between calls.
[[nodiscard]] std::vector<std::int32_t> by_attempts(std::span<const std::int64_t> attempts);

/// Copies of the cells of a block, in the memory of its fields.
class PackedCells {
public:
  explicit PackedCells(Memory memory) : memory_(memory) {}

  /// Puts copies of the cells into the stream. order: of each place the number of its cell, x fastest; it
  /// must stay as it is until the stream is synchronised. Returns what a kernel takes, until the next call of
  /// this.
  [[nodiscard]] CellBlock pack(const CellBlock& block, std::span<const std::int32_t> order, Stream& stream);
  /// Puts what a kernel has written back into the block of the last pack().
  void unpack(const CellBlock& block, Stream& stream);

private:
  void resize(std::int64_t cells, std::int64_t species, std::int64_t inputs, Stream& stream);

  Memory memory_;
  std::int64_t cells_ = 0; // of the last block; arrays may be longer
  Buffer<std::int32_t> order_;
  Buffer<double> concentration_;
  Buffer<double> temperature_;
  Buffer<double> pressure_;
  Buffer<double> rate_input_;
  Buffer<double> step_;
  Buffer<std::int32_t> outcome_;
  Buffer<std::int64_t> steps_;
};

} // namespace heddle::detail

#endif
