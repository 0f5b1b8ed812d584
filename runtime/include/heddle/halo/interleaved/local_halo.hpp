// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_INTERLEAVED_LOCAL_HALO_HPP
#define HEDDLE_HALO_INTERLEAVED_LOCAL_HALO_HPP

#include <cstdint>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/lane_array.hpp"

namespace heddle {

/// A table of boxes of vectors, in the memory of the array. A lane is copied from a lane of another vector
/// (see LaneSources); a reflected one, which stays by its sources, from the same lane of a third vector.
struct LocalHaloRows {
  /// Component, first cell from, first cell to, extent (x, y, z each), sources, and the place on the wire of
  /// what arrives from there, in values, for the first cell; of the third vector component and first cell,
  /// and the reflected lanes.
  static constexpr int columns = 17;
  enum Column {
    component = 0,
    from = 1,
    to = 4,
    extent = 7,
    sources = 10,
    place = 11,
    wall = 12,
    reflected = 16
  };
  const std::int32_t* rows = nullptr;
  std::int64_t count = 0;
  std::int64_t longest = 0; // cells of the largest box
};

/// For each lane of a vector the lane that it is copied from, four bits each, lane 0 lowest. One lane of a
/// row may come from the wire.
class LaneSources {
public:
  static constexpr std::uint32_t stays = 15;
  static constexpr std::uint32_t arrives = 14;

  LaneSources() = default;
  explicit LaneSources(std::int32_t packed) noexcept : bits_(static_cast<std::uint32_t>(packed)) {}

  void set(int to, int from) noexcept { put(to, static_cast<std::uint32_t>(from)); }
  /// Lets a lane that would stay come from the wire; false where it would not stay, or another one does
  /// already.
  [[nodiscard]] bool let_arrive(int to) noexcept {
    for (int lane = 0; lane < 8; ++lane) {
      if (source(lane) == arrives) return false;
    }
    if (source(to) != stays) return false;
    put(to, arrives);
    return true;
  }
  void clear() noexcept { bits_ = all; }
  [[nodiscard]] std::int32_t packed() const noexcept { return static_cast<std::int32_t>(bits_); }

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
/// others may write those that stay meanwhile. wire: values of the type of the array, where rows have lanes
/// that arrive.
void copy_local_halo(const LaneArray& array, const LocalHaloRows& rows, const void* wire, Memory memory,
                     Stream& stream);

} // namespace heddle

#endif
