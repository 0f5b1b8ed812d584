// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_BOX_HPP
#define HEDDLE_GRID_BOX_HPP

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A cuboid of cells: lower <= cell < upper on each axis (x, y, z). Empty when an axis has no cell.
struct Box {
  std::array<std::int64_t, 3> lower{0, 0, 0};
  std::array<std::int64_t, 3> upper{0, 0, 0};

  Box() = default;
  /// No aggregate: of {0, 0, 0} alone no box is made, so BlockGrid({{0, 0, 0}, {8, 8, 1}}) has one meaning.
  constexpr Box(const std::array<std::int64_t, 3>& first, const std::array<std::int64_t, 3>& end) noexcept
      : lower(first), upper(end) {}

  /// Cells along axis `d`; 0 when lower lies beyond upper.
  [[nodiscard]] std::int64_t extent(int d) const noexcept;
  [[nodiscard]] std::array<std::int64_t, 3> extents() const noexcept;
  [[nodiscard]] std::int64_t volume() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return volume() == 0; }
  [[nodiscard]] bool contains(const std::array<std::int64_t, 3>& cell) const noexcept;
  /// True if the box is contained in this one; an empty box is contained in any.
  [[nodiscard]] bool covers(const Box& other) const noexcept;

  /// `layers[d]` more cells at both ends of axis d (fewer when negative).
  [[nodiscard]] Box grow(const std::array<int, 3>& layers) const noexcept;
  [[nodiscard]] Box grow(int layers) const noexcept { return grow({layers, layers, layers}); }
  [[nodiscard]] Box shift(const std::array<std::int64_t, 3>& offset) const noexcept;
  [[nodiscard]] Box intersect(const Box& other) const noexcept;
  /// The first or the last layer of cells across axis `d`.
  [[nodiscard]] Box layer(int d, bool last) const noexcept;

  friend bool operator==(const Box&, const Box&) = default;
};

/// The cells of `a` that are not in `b`, as at most six disjoint boxes (two a axis, z first).
[[nodiscard]] std::vector<Box> subtract(const Box& a, const Box& b);

/// "[x0, x1) x [y0, y1) x [z0, z1)" for messages.
[[nodiscard]] std::string to_string(const Box& box);

} // namespace heddle

#endif
