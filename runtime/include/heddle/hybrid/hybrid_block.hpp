// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HYBRID_HYBRID_BLOCK_HPP
#define HEDDLE_HYBRID_HYBRID_BLOCK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "heddle/grid/box.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/halo/indexed_copy.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/link.hpp"

namespace heddle {

/// Where the values of a block of a HybridField lie.
struct HybridBlock {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

  Box box;                              // its own cells
  const IndexList* list = nullptr;      // over these and one layer around them; null: dense
  std::span<const std::uint8_t> flags;  // of a dense one: of these and one layer around them, x fastest
  std::array<std::int64_t, 4> stride{}; // of a dense one; of a listed one only the last, the slot stride
  const void* data = nullptr;           // of its view
  std::size_t value_bytes = 0;

  /// Of a cell not more than one beyond its own, in coordinates of the domain.
  [[nodiscard]] bool listed(const std::array<std::int64_t, 3>& cell) const noexcept;
  /// The element of a component of such a cell, counted from the data() of its view; none where a list
  /// does not have it.
  [[nodiscard]] std::int64_t element(const std::array<std::int64_t, 3>& cell, int component) const noexcept;

  /// Adds rows from the cells of the boxes to their places in the message buffer; zeros where there is none.
  void add_packed(const MessageBoxes& boxes, std::vector<IndexedCopy>& rows) const;
  /// Adds rows from the message buffer to the listed cells of the boxes. links: none, or those of the method;
  /// then only what somebody has written: a step of a listed cell writes slot s of the cell at offset(s), so
  /// where there is no listed cell on the other side, what arrives from a neighbour's ghost cell is not news
  /// but what was sent there before the step, or what a dense block makes of a wall.
  void add_unpacked(const MessageBoxes& boxes, std::span<const Link> links,
                    std::vector<IndexedCopy>& rows) const;

  /// Of a dense block, adds rows for each cell beside a wall and link into it: from the element of the cell
  /// that IndexList would name to the one in the wall.
  void add_walls(std::span<const Link> links, std::vector<IndexedCopy>& rows) const;

private:
  [[nodiscard]] std::uintptr_t address(const std::array<std::int64_t, 3>& cell, int component) const noexcept;
};

} // namespace heddle

#endif
