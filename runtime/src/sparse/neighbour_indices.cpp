// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/neighbour_indices.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/sparse/periodic_image.hpp"

namespace heddle {

Buffer<std::uint32_t> neighbour_indices(const IndexList& list, const Buffer<std::uint32_t>& cells,
                                        const std::array<int, 3>& offset, const std::array<bool, 3>& periodic,
                                        int depth) {
  if (depth < 1)
    throw Error("neighbour_indices", "a depth of " + std::to_string(depth) + " cells is not supported",
                "use 1, or 2 for quadratic interpolation");
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(cells.size()));
  copy_bytes(numbers.data(), Memory::host, cells.data(), cells.memory(), cells.bytes());
  for (std::uint32_t& number : numbers) {
    const std::array<std::int64_t, 3> own = list.position(number);
    std::int64_t beside = number;
    for (int k = depth; k > 0 && beside >= 0; --k) // the first cell last
      beside = cell_of_image(list, periodic,
                             {own[0] + k * offset[0], own[1] + k * offset[1], own[2] + k * offset[2]});
    if (beside >= 0) number = static_cast<std::uint32_t>(beside);
  }
  return Buffer<std::uint32_t>(std::span<const std::uint32_t>(numbers), list.memory());
}

void neighbour_indices(SparseField<std::uint32_t>& numbers, const std::array<int, 3>& offset,
                       const std::array<bool, 3>& periodic) {
  if (numbers.components() != 1)
    throw Error("neighbour_indices",
                "'" + std::string(numbers.name()) + "' has " + std::to_string(numbers.components()) +
                    " components",
                "use one value per cell: SparseField<std::uint32_t>(list, 1)");
  const IndexList& list = numbers.list();
  numbers.fill([&](std::int64_t x, std::int64_t y, std::int64_t z, int) {
    const std::int64_t beside = cell_of_image(list, periodic, {x + offset[0], y + offset[1], z + offset[2]});
    return static_cast<std::uint32_t>(beside < 0 ? list.cell_of(x, y, z) : beside);
  });
}

} // namespace heddle
