// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SLOT_OFFSET_HPP
#define HEDDLE_SLOT_OFFSET_HPP

#include <array>
#include <vector>

namespace heddle {

/// A kernel that updates cell x touches component `slot` of the cell x + offset.
struct SlotOffset {
  int slot = 0;
  std::array<int, 3> offset{0, 0, 0};
};

/// The footprint that touches all ghost cells: each component at every offset up to `layers` on each axis.
[[nodiscard]] std::vector<SlotOffset> ghost_shell(int components, const std::array<int, 3>& layers);

} // namespace heddle

#endif
