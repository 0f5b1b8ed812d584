// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HELD_CELLS_HPP
#define HEDDLE_HELD_CELLS_HPP

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/cell_range.hpp"
#include "heddle/link.hpp"

namespace heddle {

/// The numbers of all cells of a box and of those around it that links reach: listed cells, cells that a list
/// holds behind walls (Link::held), and nobody.
class HeldCells {
public:
  static constexpr std::uint32_t nobody = 0xFFFFFFFFU;

  /// extent: of the box with its ghost cells, of which `own` are no ghost cells along each axis. Where an
  /// axis is not periodic and has no ghost cells, there is a rim as wide as the links reach.
  HeldCells(const std::array<std::int64_t, 3>& extent, const std::array<CellRange, 3>& own,
            const std::array<bool, 3>& periodic, std::span<const Link> links);

  /// The number of a cell of the box, by its coordinates from the corner.
  [[nodiscard]] std::uint32_t& at(std::int64_t x, std::int64_t y, std::int64_t z) {
    return numbers_[place({x, y, z})];
  }

  /// Once all listed cells and ghost cells have their numbers 0 to count - 1: numbers the cells behind walls
  /// that links lead to, count, count + 1, and so on, row by row, those among ghost cells last. Returns how
  /// many there are.
  std::int64_t number(std::int64_t count);
  /// Coordinates, from the corner, of those among ghost cells in the order of their numbers.
  [[nodiscard]] const std::vector<std::array<std::int64_t, 3>>& among_ghosts() const noexcept {
    return among_ghosts_;
  }

  /// One row of the neighbour table: for each numbered cell the number of the one at the link's offset; of
  /// held cells, where that is nobody, their own.
  void fill(const Link& link, std::uint32_t* entries) const;

private:
  [[nodiscard]] std::size_t place(const std::array<std::int64_t, 3>& cell) const;
  [[nodiscard]] std::array<std::int64_t, 3> cell_at(std::size_t place) const;
  /// Neither own nor in the rim.
  [[nodiscard]] bool is_among_ghosts(const std::array<std::int64_t, 3>& cell) const;
  /// Where a link of the cell at a place leads; false where it leaves the rim.
  [[nodiscard]] bool follow(std::size_t from, const Link& link, std::size_t& to) const;

  std::array<std::int64_t, 3> extent_;
  std::array<bool, 3> periodic_;
  std::span<const Link> links_;
  std::array<CellRange, 3> own_;
  std::array<CellRange, 3> known_; // with the rims
  std::vector<std::uint32_t> numbers_;
  std::vector<std::array<std::int64_t, 3>> among_ghosts_;
};

} // namespace heddle

#endif
