// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LANE_SHIFT_HPP
#define HEDDLE_LANE_SHIFT_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/memory.hpp"
#include "heddle/stream.hpp"

namespace heddle {

/// A group of interleaved blocks as plain memory: `data` is the first interior cell of its first block. Strides
/// are those of y, z and the components, in values; along x it is `lanes`.
struct LaneArray {
  void* data = nullptr;
  std::array<std::int64_t, 3> stride{};
  int lanes = 1;
  std::size_t value_bytes = 0;
};

/// A table of boxes of vectors, in the memory of the array.
struct LaneShiftRows {
  static constexpr int columns = 11; // component, first cell from, first cell to, extent (x, y, z each), sources
  const std::int32_t* rows = nullptr;
  std::int64_t count = 0;
  std::int64_t longest = 0; // cells of the largest box
};

/// For each lane of a vector the lane that it is copied from, four bits each, lane 0 lowest.
class LaneSources {
public:
  static constexpr std::uint32_t stays = 15;

  void set(int to, int from) noexcept {
    const int shift = 4 * to;
    bits_ = (bits_ & ~(stays << shift)) | (static_cast<std::uint32_t>(from) << shift);
  }
  [[nodiscard]] std::int32_t packed() const noexcept { return static_cast<std::int32_t>(bits_); }

private:
  std::uint32_t bits_ = 0xffffffffU;
};

/// Copies what crosses between the blocks of a group, all lanes of a vector at once and all boxes in one launch. No
/// box may be read or written where another one is written; lanes that stay are read and written back.
void shift_lanes(const LaneArray& array, const LaneShiftRows& rows, Memory memory, Stream& stream);

} // namespace heddle

#endif
