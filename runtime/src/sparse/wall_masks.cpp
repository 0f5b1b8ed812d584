// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/wall_masks.hpp"

#include <cstddef>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/sparse/periodic_image.hpp"

namespace heddle {

void mark_walls(SparseField<std::uint32_t>& walls, std::span<const std::array<int, 3>> velocities,
                const std::array<bool, 3>& periodic) {
  if (velocities.size() > 32)
    throw Error("mark_walls", "a mask has 32 bits, but the lattice has " + std::to_string(velocities.size()) +
                                  " velocities");
  if (walls.components() != 1)
    throw Error("mark_walls",
                "'" + std::string(walls.name()) + "' has " + std::to_string(walls.components()) +
                    " components",
                "use one value per cell: SparseField<std::uint32_t>(list, 1)");
  const IndexList& list = walls.list();
  walls.fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int) {
    std::uint32_t mask = 0;
    for (std::size_t q = 1; q < velocities.size(); ++q) {
      const std::array<int, 3>& c = velocities[q];
      if (cell_of_image(list, periodic, {x - c[0], y - c[1], z - c[2]}) < 0) mask |= std::uint32_t{1} << q;
    }
    return mask;
  });
}

} // namespace heddle
