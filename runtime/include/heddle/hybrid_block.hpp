// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HYBRID_BLOCK_HPP
#define HEDDLE_HYBRID_BLOCK_HPP

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "heddle/box.hpp"
#include "heddle/exchange.hpp"
#include "heddle/index_list.hpp"
#include "heddle/link.hpp"

namespace heddle {

/// Where the values of a block of a HybridField lie: element numbers, counted from the data() of its view.
struct HybridBlock {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

  Box box;                              // its own cells
  const IndexList* list = nullptr;      // over these and one layer around them; null: dense
  std::array<std::int64_t, 4> stride{}; // of a dense block; of a listed one only the last, the slot stride

  /// Of a component of a cell in coordinates of the domain; none where it is not listed.
  [[nodiscard]] std::int64_t element(const std::array<std::int64_t, 3>& cell, int component) const noexcept;

  /// Of all cells of the boxes, in their order. links: none, or those of the method; then also none where
  /// nobody writes: a step of a listed cell writes slot s of the cell at offset(s), so where there is no
  /// listed cell on the other side, what arrives from a neighbour's ghost cell is not news but what was sent
  /// there before the step.
  [[nodiscard]] std::vector<std::int64_t> elements(const WireBoxes& boxes, std::span<const Link> links) const;

  /// An element of a cell beside a wall, which IndexList would name in place of the other one, in the wall.
  struct WallPair {
    std::int64_t own;
    std::int64_t wall;
  };
  /// Of a dense block; flags: of its cells and one layer around them, x fastest.
  [[nodiscard]] std::vector<WallPair> walls(std::span<const std::uint8_t> flags,
                                            std::span<const Link> links) const;
};

} // namespace heddle

#endif
