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

/// Numbers of cells, those with the highest key first; cells with the same key keep their order. In time
/// proportional to the cells: this runs between calls. Keys outside 0 ... cell_keys - 1 count as the nearest.
[[nodiscard]] std::vector<std::int32_t> by_keys(std::span<const std::int32_t> keys);

inline constexpr std::int32_t most_halvings = 20; // of a change of the light that still counts
inline constexpr std::int32_t attempt_keys = 256; // cells with more attempts count as alike
inline constexpr std::int32_t cell_keys = attempt_keys * (most_halvings + 1);

/// Keys of the cells of a block, the higher the more attempts they are likely to take: by their attempts in
/// the last call, and among equals by how much their light changes, in powers of two. Light is the sum of the
/// host values of a cell, nearly all of it photolysis; its change a part of that before and now together.
class CellKeys {
public:
  explicit CellKeys(Memory memory) : memory_(memory) {}

  /// Puts what makes the keys into the stream; it also remembers the light for the next call of this.
  void find(const CellBlock& block, Stream& stream);
  /// Those of the last find(); waits for the stream.
  [[nodiscard]] std::vector<std::int32_t> get(Stream& stream) const;

private:
  Memory memory_;
  Buffer<double> light_;
  Buffer<std::int32_t> keys_;
};

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
