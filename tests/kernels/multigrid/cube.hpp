// SPDX-License-Identifier: Apache-2.0
// A wind around a cube: div grad lambda = -2 div u0 in the cells around which nothing is solid, as in
// QES-Winds' published case (100 x 100 x 100 cells of 2 m x 2 m x 1 m), on a grid of any resolution.
#ifndef HEDDLE_MULTIGRID_CUBE_HPP
#define HEDDLE_MULTIGRID_CUBE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "heddle/grid/field.hpp"
#include "heddle/solvers/conjugate_gradient.hpp"

namespace test {

using Cell = std::array<std::int64_t, 3>;

/// A field by cells of the grid, whether it is split by colour or not.
template <class T, class F> void set(heddle::Field<T>& field, bool split, F&& value) {
  field.fill([&, split](std::int64_t i, std::int64_t y, std::int64_t z, int colour) {
    return value(split ? 2 * i + (colour + y + z) % 2 : i, y, z);
  });
}

/// Interior: the cells with an equation, 1 <= i < n_x - 1, 1 <= j < n_y - 1, 1 <= k < n_z; lambda is 0 in the
/// cells around, but nothing flows through the ground.
template <class T> class Cube {
public:
  Cube(const Cell& domain_cells, bool split_fields, heddle::Memory memory = heddle::Memory::host)
      : n(domain_cells), h{200.0 / static_cast<double>(n[0]), 200.0 / static_cast<double>(n[1]),
                           100.0 / static_cast<double>(n[2])},
        split(split_fields),
        grid(heddle::Box{{0, 0, 0}, {split ? (n[0] - 2) / 2 : n[0] - 2, n[1] - 2, n[2] - 1}}),
        open(grid, {.components = split ? 2 : 1, .memory = memory, .name = "open"}),
        lambda(grid, {.components = split ? 2 : 1, .memory = memory, .name = "lambda"}),
        right(grid, {.components = split ? 2 : 1, .memory = memory, .name = "right"}) {
    set(open, split, [this](auto x, auto y, auto z) { return openings({x + 1, y + 1, z + 1}); });
    set(right, split, [this](auto x, auto y, auto z) { return source({x + 1, y + 1, z + 1}); });
  }

  [[nodiscard]] std::array<double, 3> weights() const {
    return {1 / (h[0] * h[0]), 1 / (h[1] * h[1]), 1 / (h[2] * h[2])};
  }

  [[nodiscard]] bool solid(const Cell& c) const {
    const double x = (static_cast<double>(c[0]) + 0.5) * h[0];
    const double y = (static_cast<double>(c[1]) + 0.5) * h[1];
    const double z = (static_cast<double>(c[2]) - 0.5) * h[2];
    return c[2] < 1 || (std::abs(x - 100) < 10 && std::abs(y - 100) < 10 && z <= 20);
  }

  /// The wind before the correction on the lower face of a cell across axis d: logarithmic, 0 on faces of
  /// solid cells.
  [[nodiscard]] double given(std::size_t d, const Cell& face) const {
    Cell below = face;
    --below[d];
    if (d != 0 || solid(face) || solid(below)) return 0;
    const double z = (static_cast<double>(face[2]) - 0.5) * h[2];
    return 5 * std::log((z + 0.1) / 0.1) / std::log((10 + 0.1) / 0.1);
  }

  [[nodiscard]] double velocity(std::size_t d, const Cell& face) const {
    Cell below = face;
    --below[d];
    if (solid(face) || solid(below)) return 0;
    return given(d, face) + 0.5 / h[d] * (value(face) - value(below));
  }

  /// Largest difference of u on inner faces, in m/s, from another solution on the same grid.
  template <class U> [[nodiscard]] double velocity_error(const Cube<U>& exact) const {
    double largest = 0;
    for (std::int64_t z = 1; z < n[2]; ++z)
      for (std::int64_t y = 1; y < n[1] - 1; ++y)
        for (std::int64_t x = 1; x < n[0]; ++x)
          for (std::size_t d = 0; d < 3; ++d)
            largest = std::max(largest, std::abs(velocity(d, {x, y, z}) - exact.velocity(d, {x, y, z})));
    return largest;
  }

  /// The same with what lambda is now.
  [[nodiscard]] Cube on_host() const {
    Cube copy(n, split);
    copy.lambda.copy_from(lambda);
    return copy;
  }

  [[nodiscard]] double value(const Cell& c) const {
    const Cell i{c[0] - 1, c[1] - 1, c[2] - 1};
    const auto view = lambda.view();
    if (!split) return static_cast<double>(view(i[0], i[1], i[2]));
    return static_cast<double>(
        view((i[0] + 2) / 2 - 1, i[1], i[2], static_cast<int>((i[0] + i[1] + i[2] + 4) % 2)));
  }

  Cell n;
  std::array<double, 3> h;
  bool split;
  heddle::BlockGrid grid;
  heddle::Field<std::uint8_t> open;
  heddle::Field<T> lambda;
  heddle::Field<T> right;

private:
  [[nodiscard]] int openings(const Cell& cell) const {
    if (solid(cell)) return 0;
    int bits = 0;
    for (std::size_t f = 0; f < 6; ++f) {
      Cell other = cell;
      other[f / 2] += f % 2 == 0 ? 1 : -1;
      if (!solid(other)) bits |= 1 << f;
    }
    return bits;
  }

  [[nodiscard]] double source(const Cell& cell) const {
    if (solid(cell)) return 0;
    double divergence = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      Cell above = cell;
      ++above[d];
      divergence += (given(d, above) - given(d, cell)) / h[d];
    }
    return -2 * divergence;
  }
};

} // namespace test

#endif
