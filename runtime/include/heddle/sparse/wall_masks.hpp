// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_WALL_MASKS_HPP
#define HEDDLE_SPARSE_WALL_MASKS_HPP

#include <array>
#include <cstdint>
#include <span>

#include "heddle/sparse/sparse_field.hpp"

namespace heddle {

/// Marks where populations come in from walls, as kernels with `halfway` walls take it: bit q of a listed
/// cell is set where the cell at -velocities[q] is not listed, or outside the box on an axis that is not
/// periodic; bit 0, the rest, never. periodic: of the domain. velocities: of the lattice, in its order, at
/// most 32. Throws Error when there are more, or `walls` has several components.
void mark_walls(SparseField<std::uint32_t>& walls, std::span<const std::array<int, 3>> velocities,
                const std::array<bool, 3>& periodic);

} // namespace heddle

#endif
