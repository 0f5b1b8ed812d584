// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_HALO_HALO_PIECE_HPP
#define HEDDLE_SRC_HALO_HALO_PIECE_HPP

#include <array>
#include <cstdint>

#include "heddle/halo/exchange.hpp"
#include "heddle/halo/halo_plan.hpp"

namespace heddle {

/// Cells of one component that go from a block to another: `from_cell` and `to_cell` are the first ones,
/// counted from the first interior cell of the block.
struct HaloPlan::Piece {
  const HaloRegion* region;
  int from;
  int to;
  std::array<std::int64_t, 3> from_cell;
  std::array<std::int64_t, 3> to_cell;
  std::array<std::int64_t, 3> extent;
  bool border; // beyond a face that belongs to the border

  [[nodiscard]] std::int64_t cells() const noexcept { return extent[0] * extent[1] * extent[2]; }
};

} // namespace heddle

#endif
