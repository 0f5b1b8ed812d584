// SPDX-License-Identifier: Apache-2.0
// Equations around walls at random places, and how well they are met, evaluated from their definition.
#ifndef HEDDLE_MULTIGRID_WALLS_HPP
#define HEDDLE_MULTIGRID_WALLS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "../../support/noise.hpp"
#include "cube.hpp"

namespace test {

/// Solid cells at random places around which nothing flows; phi is 0 outside the box.
template <class T> struct Walls {
  explicit Walls(const Cell& extent)
      : cells(extent), grid(heddle::Box{{0, 0, 0}, {cells[0] / 2, cells[1], cells[2]}}),
        open(grid, {.components = 2, .name = "open"}), phi(grid, {.components = 2, .name = "phi"}),
        right(grid, {.components = 2, .name = "right"}) {
    set(open, true, [this](auto x, auto y, auto z) { return openings({x, y, z}); });
    set(right, true,
        [this](auto x, auto y, auto z) { return solid({x, y, z}) ? 0.0 : noise(7 * number({x, y, z})); });
  }

  [[nodiscard]] std::int64_t number(const Cell& c) const {
    return c[0] + cells[0] * (c[1] + cells[1] * c[2]);
  }
  [[nodiscard]] bool inside(const Cell& c) const {
    return c[0] >= 0 && c[1] >= 0 && c[2] >= 0 && c[0] < cells[0] && c[1] < cells[1] && c[2] < cells[2];
  }
  [[nodiscard]] bool solid(const Cell& c) const { return inside(c) && noise(number(c)) < -0.7; }
  static Cell beyond(const Cell& c, std::size_t face) {
    Cell other = c;
    other[face / 2] += face % 2 == 0 ? 1 : -1;
    return other;
  }
  [[nodiscard]] int openings(const Cell& c) const {
    int bits = 0;
    for (std::size_t f = 0; f < 6; ++f)
      if (!solid(c) && !solid(beyond(c, f))) bits |= 1 << f;
    return bits;
  }
  [[nodiscard]] double value(const Cell& c) const {
    if (!inside(c)) return 0;
    return static_cast<double>(phi.view()(c[0] / 2, c[1], c[2], static_cast<int>((c[0] + c[1] + c[2]) % 2)));
  }

  /// Largest |sum of w (neighbour - own value) - right|, from the definition.
  [[nodiscard]] double residual(const std::array<double, 3>& weights) const {
    double largest = 0;
    for (std::int64_t z = 0; z < cells[2]; ++z)
      for (std::int64_t y = 0; y < cells[1]; ++y)
        for (std::int64_t x = 0; x < cells[0]; ++x) {
          const Cell c{x, y, z};
          if (openings(c) == 0) continue;
          double sum = -noise(7 * number(c));
          for (std::size_t f = 0; f < 6; ++f)
            if ((openings(c) >> f & 1) != 0) sum += weights[f / 2] * (value(beyond(c, f)) - value(c));
          largest = std::max(largest, std::abs(sum));
        }
    return largest;
  }

  Cell cells;
  heddle::BlockGrid grid;
  heddle::Field<std::uint8_t> open;
  heddle::Field<T> phi;
  heddle::Field<T> right;
};

} // namespace test

#endif
