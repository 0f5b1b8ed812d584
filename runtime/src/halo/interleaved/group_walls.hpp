// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_HALO_INTERLEAVED_GROUP_WALLS_HPP
#define HEDDLE_SRC_HALO_INTERLEAVED_GROUP_WALLS_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "heddle/halo/exchange.hpp"

namespace heddle {

/// A box of vectors of which some lanes end at a wall: there they are copied from the same lane of another
/// component, half-way bounce-back. Cells are counted from the first interior cell.
struct GroupWall {
  int field = 0;
  int group = 0; // of blocks of this rank
  int from_component = 0;
  int to_component = 0;
  std::array<std::int64_t, 3> from{};
  std::array<std::int64_t, 3> to{};
  std::array<std::int64_t, 3> extent{};
  std::uint32_t lanes = 0; // a bit each
  bool border = false;     // beyond a face that leads to other ranks
};

/// The walls of an exchange that only some blocks of a group have. Those that all have are the kernel's.
[[nodiscard]] std::vector<GroupWall> group_walls(const DenseExchange& exchange);

} // namespace heddle

#endif
