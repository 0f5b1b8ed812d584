// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVERS_COARSE_LEVEL_HPP
#define HEDDLE_SOLVERS_COARSE_LEVEL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_view.hpp"

namespace heddle {

/// Cells along each axis.
using Cells3 = std::array<std::int64_t, 3>;

/// Cells of the next coarser level: `merged` of each axis, 1 or 2, make one; the last may have one child
/// alone.
[[nodiscard]] inline Cells3 coarser(const Cells3& cells, const Cells3& merged) {
  return {(cells[0] + merged[0] - 1) / merged[0], (cells[1] + merged[1] - 1) / merged[1],
          (cells[2] + merged[2] - 1) / merged[2]};
}

/// The cells start + n step of a field, for 0 <= n < cells.
template <class T>
[[nodiscard]] FieldView<T> every(const FieldView<T>& field, const Cells3& cells, const Cells3& start,
                                 const Cells3& step) {
  std::array<std::int64_t, 4> stride = field.strides();
  T* data = field.data();
  for (std::size_t d = 0; d < 3; ++d) {
    data += start[d] * stride[d];
    stride[d] *= step[d];
  }
  return {data, {cells[0], cells[1], cells[2], 1}, stride};
}

/// The children (2x + a, 2y + b, 2z + c) of the cells (x, y, z) of another field. split: the fine field is
/// split by colour, and then all these children have one.
template <class T>
[[nodiscard]] FieldView<T> children(const FieldView<T>& fine, bool split, const Cells3& cells,
                                    const Cells3& child) {
  if (!split) return every(fine, cells, child, {2, 2, 2});
  const std::int64_t colour = (child[0] + child[1] + child[2]) % 2;
  const FieldView<T> own(fine.data() + colour * fine.strides()[3], fine.extents(), fine.strides());
  return every(own, cells, {0, child[1], child[2]}, {1, 2, 2});
}

/// The cells first <= n < last along one axis, with `step` cells from each to the next; `cells` of the
/// others.
template <class T>
[[nodiscard]] FieldView<T> slab(const FieldView<T>& whole, const Cells3& cells, std::size_t axis,
                                std::int64_t first, std::int64_t count, std::int64_t step = 1) {
  std::array<std::int64_t, 4> extent{cells[0], cells[1], cells[2], 1};
  std::array<std::int64_t, 4> stride = whole.strides();
  extent[axis] = count;
  T* const data = whole.data() + first * stride[axis];
  stride[axis] *= step;
  return {data, extent, stride};
}

/// A number in memory, as a field in which every cell has it.
template <class T> [[nodiscard]] FieldView<T> everywhere(T* number, const Cells3& cells) {
  return {number, {cells[0], cells[1], cells[2], 1}, {1, 1, 1, 0}};
}

/// Places of cell centres along an axis, with one beyond each end: [0] is that below the first cell.
using Centres = std::vector<double>;

/// One cell of `size` after the other.
[[nodiscard]] Centres even_centres(std::int64_t cells, double size = 1);

/// The centres of the next coarser level: in the middle of their children; those beyond the ends stay.
[[nodiscard]] Centres coarser(const Centres& fine);

/// How many cells of each axis the next coarser level merges: 2 of each, or, where cells are more than 2.5
/// times longer along another axis, 2 of the shortest one alone. (Only there a sweep smooths what is left.)
[[nodiscard]] Cells3 merged_cells(const std::array<Centres, 3>& centres);

/// Coarse faces `first` to `first + count - 1` along an axis, each part of which is a fine face; the first
/// one lies at the fine face `fine`, the others two further each.
struct FaceRun {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t fine = 0;
  double factor = 1; // distance of the fine cells on both sides, as a part of that of the coarse ones
};

/// All faces of the next coarser level along an axis on which cells are merged, in runs of one factor.
[[nodiscard]] std::vector<FaceRun> coarse_faces(const Centres& fine);

/// The arrays of a level of multigrid below the finest one.
template <class T> struct CoarseLevel {
  CoarseLevel(const Cells3& extent, const Cells3& merged_cells, Memory memory)
      : cells(extent), merged(merged_cells), grid(Box{{0, 0, 0}, {extent[0], extent[1], extent[2]}}),
        k{Field<T>(grid, {.memory = memory, .name = "k_x"}),
          Field<T>(grid, {.memory = memory, .name = "k_y"}),
          Field<T>(grid, {.memory = memory, .name = "k_z"})},
        correction(grid, {.memory = memory, .name = "correction"}),
        rest(grid, {.memory = memory, .name = "rest"}), left(grid, {.memory = memory, .name = "left"}) {}

  Cells3 cells;
  Cells3 merged; // cells of the finer level along each axis in one of these
  BlockGrid grid;
  std::array<Field<T>, 3>
      k; // coefficients of the lower faces, those of the last upper ones in the ghost cells
  Field<T> correction;
  Field<T> rest;
  Field<T> left;
};

} // namespace heddle

#endif
