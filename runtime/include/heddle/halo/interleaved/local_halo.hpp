// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_INTERLEAVED_LOCAL_HALO_HPP
#define HEDDLE_HALO_INTERLEAVED_LOCAL_HALO_HPP

#include <array>
#include <cstdint>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/lane_array.hpp"

namespace heddle {

/// A cell of an array, or cells along each axis, in tables that devices read.
struct Index3 {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;

  Index3() = default;
  explicit Index3(const std::array<std::int64_t, 3>& index) noexcept
      : x(static_cast<std::int32_t>(index[0])), y(static_cast<std::int32_t>(index[1])),
        z(static_cast<std::int32_t>(index[2])) {}
  friend bool operator==(const Index3&, const Index3&) = default;
};

/// A box of vectors. A lane is copied from a lane of another vector (see LaneSources); a reflected one, which
/// stays by its sources, from the same lane of a third vector.
struct LocalHaloRow {
  std::int32_t component = 0;
  Index3 from{}; // the first cell
  Index3 to{};
  Index3 extent{};
  std::uint32_t sources = 0;
  std::int32_t arrives_at = 0; // where the message buffer has what arrives for the first cell, in values
  std::int32_t wall_component = 0;
  Index3 wall{};               // the first cell of the third vectors
  std::uint32_t reflected = 0; // a bit per lane
};

/// A table of boxes, in the memory of the array.
struct LocalHaloRows {
  const LocalHaloRow* rows = nullptr;
  std::int64_t count = 0;
  std::int64_t longest = 0; // cells of the largest box
};

/// For each lane of a vector the lane that it is copied from, four bits each, lane 0 lowest. One lane of a
/// row may come from the message buffer.
class LaneSources {
public:
  static constexpr std::uint32_t stays = 15;
  static constexpr std::uint32_t arrives = 14;

  LaneSources() = default;
  explicit LaneSources(std::uint32_t packed) noexcept : bits_(packed) {}

  void set(int to, int from) noexcept { put(to, static_cast<std::uint32_t>(from)); }
  /// Lets a lane that would stay come from the message buffer; false where it would not stay, or another one
  /// does already.
  [[nodiscard]] bool let_arrive(int to) noexcept {
    for (int lane = 0; lane < 8; ++lane) {
      if (source(lane) == arrives) return false;
    }
    if (source(to) != stays) return false;
    put(to, arrives);
    return true;
  }
  void clear() noexcept { bits_ = all; }
  [[nodiscard]] std::uint32_t packed() const noexcept { return bits_; }

private:
  static constexpr std::uint32_t all = 0xffffffffU;
  [[nodiscard]] std::uint32_t source(int lane) const noexcept { return bits_ >> (4 * lane) & stays; }
  void put(int to, std::uint32_t source) noexcept {
    const int shift = 4 * to;
    bits_ = (bits_ & ~(stays << shift)) | (source << shift);
  }

  std::uint32_t bits_ = all;
};

/// Copies what crosses between the blocks of a group, and what comes back from walls that only some of them
/// have: all lanes of a vector at once and all boxes in one launch. No box may be read or written where
/// another one is written; lanes that stay are read and written back, but where lanes are reflected alone,
/// others may write those that stay meanwhile. buffer: values of the type of the array, where rows have lanes
/// that arrive.
void copy_local_halo(const LaneArray& array, const LocalHaloRows& rows, const void* buffer, Memory memory,
                     Stream& stream);

} // namespace heddle

#endif
