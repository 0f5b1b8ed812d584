// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CHEMISTRY_LANE_USE_HPP
#define HEDDLE_CHEMISTRY_LANE_USE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle {

/// How much of their time the lanes of vectors, or the threads of warps, spend on steps of their own cells:
/// all go on until the slowest of a group is done.
struct LaneUse {
  static constexpr std::int64_t strip = 8; ///< cells of a strip, as of Strips(8)
  static constexpr std::int64_t warp = 32; ///< cells of a warp with a thread per cell

  std::int64_t attempts = 0; ///< of the cells
  std::int64_t room = 0;     ///< for so many attempts lanes had time, idle ones of an incomplete group too

  /// Cells that lie side by side, in groups of so many lanes. of_cells: the attempts of each.
  void add(std::span<const std::int64_t> of_cells, std::int64_t lanes) {
    const auto step = static_cast<std::size_t>(lanes);
    for (std::size_t first = 0; first < of_cells.size(); first += step) {
      const auto group = of_cells.subspan(first, std::min(step, of_cells.size() - first));
      for (const std::int64_t cell : group)
        attempts += cell;
      room += lanes * std::ranges::max(group);
    }
  }
  void add(const LaneUse& other) {
    attempts += other.attempts;
    room += other.room;
  }
  /// From 0 to 1; 1 where there was nothing to do.
  [[nodiscard]] double share() const {
    return room > 0 ? static_cast<double>(attempts) / static_cast<double>(room) : 1;
  }
};

} // namespace heddle

#endif
