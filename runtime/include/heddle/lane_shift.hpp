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

/// A table of boxes of vectors, in the memory of the array. A lane is copied from a lane of another vector (see
/// LaneSources), or, where its bit is in `reflected`, from the same lane of a third one.
struct LaneShiftRows {
  // component, first cell from, first cell to, extent (x, y, z each), sources; third vector: component, first
  // cell; reflected
  static constexpr int columns = 16;
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
  [[nodiscard]] bool all_stay() const noexcept { return bits_ == all; }
  void clear() noexcept { bits_ = all; }
  [[nodiscard]] std::int32_t packed() const noexcept { return static_cast<std::int32_t>(bits_); }

private:
  static constexpr std::uint32_t all = 0xffffffffU;
  std::uint32_t bits_ = all;
};

/// Copies what crosses between the blocks of a group, and what comes back from walls that only some of them have: all
/// lanes of a vector at once and all boxes in one launch. No box may be read or written where another one is
/// written; lanes that stay are read and written back.
void shift_lanes(const LaneArray& array, const LaneShiftRows& rows, Memory memory, Stream& stream);

} // namespace heddle

#endif
