// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_WALL_MASKS_HPP
#define HEDDLE_SPARSE_WALL_MASKS_HPP

#include <array>
#include <cstdint>
#include <span>

#include "heddle/sparse/sparse_field.hpp"

namespace heddle {

/// Marks incoming populations from walls, as kernels with `halfway` walls need it: bit q of a listed cell is
/// set if the cell at -velocities[q] is not listed, or is outside the box on an axis that is not periodic;
/// bit 0, the rest population, is never set. periodic: of the domain. velocities: of the lattice, in its
/// order, at most 32. Throws Error for more velocities, or if `walls` has several components.
void mark_walls(SparseField<std::uint32_t>& walls, std::span<const std::array<int, 3>> velocities,
                const std::array<bool, 3>& periodic);

} // namespace heddle

#endif
