// SPDX-License-Identifier: Apache-2.0
#include "heddle/projection/topography.hpp"

#include <array>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"

namespace heddle {
namespace {

using Cell = std::array<std::int64_t, 3>;

class Mask {
public:
  Mask(const StaggeredGrid& grid, std::span<const std::uint8_t> solid) : grid_(grid), solid_(solid) {}

  [[nodiscard]] bool fluid(const Cell& c) const {
    return solid_[static_cast<std::size_t>(c[0] + grid_.cells[0] * (c[1] + grid_.cells[1] * c[2]))] == 0;
  }

  /// Whether fluid passes from a cell to the next one along an axis (forward: upwards).
  [[nodiscard]] bool passes(const Cell& cell, std::size_t axis, bool forward) const {
    Cell next = cell;
    next[axis] += forward ? 1 : -1;
    if (next[axis] >= 0 && next[axis] < grid_.cells[axis]) return fluid(next);
    const SideKind kind = (forward ? grid_.upper : grid_.lower)[axis].kind;
    if (kind != SideKind::periodic) return kind == SideKind::open;
    next[axis] = forward ? 0 : grid_.cells[axis] - 1;
    return fluid(next);
  }

  [[nodiscard]] bool at_open_side(const Cell& cell) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (cell[axis] == 0 && grid_.lower[axis].kind == SideKind::open) return true;
      if (cell[axis] == grid_.cells[axis] - 1 && grid_.upper[axis].kind == SideKind::open) return true;
    }
    return false;
  }

private:
  const StaggeredGrid& grid_;
  std::span<const std::uint8_t> solid_;
};

} // namespace

Topography::Topography(const StaggeredGrid& grid, std::span<const std::uint8_t> solid,
                       std::int64_t first_level, std::int64_t last_level, Memory memory)
    : open_(BlockGrid(Box{{0, 0, 0}, {grid.cells[0], grid.cells[1], last_level - first_level}}),
            {.ghost_layers = 0, .memory = memory, .name = "open"}) {
  const auto& n = grid.cells;
  if (static_cast<std::int64_t>(solid.size()) != n[0] * n[1] * n[2]) {
    throw Error("Topography", std::to_string(solid.size()) + " entries were given for " +
                                  std::to_string(n[0] * n[1] * n[2]) + " cells");
  }
  const Mask mask(grid, solid);
  std::vector<std::uint8_t> bits(solid.size(), 0);
  auto to = bits.begin();
  Cell cell{};
  for (cell[2] = 0; cell[2] < n[2]; ++cell[2]) {
    const double height = grid.heights.empty() ? 1.0 : grid.heights.at(static_cast<std::size_t>(cell[2]));
    for (cell[1] = 0; cell[1] < n[1]; ++cell[1]) {
      for (cell[0] = 0; cell[0] < n[0]; ++cell[0], ++to) {
        if (!mask.fluid(cell)) {
          if (!mask.at_open_side(cell)) continue;
          throw Error("Topography",
                      "cell (" + std::to_string(cell[0]) + ", " + std::to_string(cell[1]) + ", " +
                          std::to_string(cell[2]) + ") is solid and next to an open side",
                      "end the topography one cell before the side, or make the side a wall");
        }
        ++fluid_;
        height_ += height;
        for (std::size_t face = 0; face < 6; ++face) {
          if (mask.passes(cell, face / 2, face % 2 == 0)) *to = static_cast<std::uint8_t>(*to | 1U << face);
        }
      }
    }
  }
  if (fluid_ == 0) throw Error("Topography", "no cell is fluid", "check the mask: 0 marks fluid cells");
  const auto level = static_cast<std::size_t>(n[0] * n[1]);
  const auto below = static_cast<std::size_t>(first_level) * level;
  const auto kept = static_cast<std::size_t>(last_level - first_level) * level;
  open_.write(0, 0, std::span<const std::uint8_t>(bits).subspan(below, kept));
}

} // namespace heddle
