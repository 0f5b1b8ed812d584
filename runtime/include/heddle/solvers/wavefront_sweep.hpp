// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVERS_WAVEFRONT_SWEEP_HPP
#define HEDDLE_SOLVERS_WAVEFRONT_SWEEP_HPP

#include <algorithm>
#include <array>
#include <cstdint>

#include "heddle/core/parallel.hpp"
#include "heddle/grid/field_view.hpp"
#include "heddle/solvers/colour_range.hpp"

namespace heddle {

/// The planes first <= z < last of a block.
struct PlaneRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  /// These planes of a view. Colours are those of the whole view if `first` is even.
  template <class T> [[nodiscard]] FieldView<T> of(const FieldView<T>& view) const noexcept {
    std::array<std::int64_t, 4> extent = view.extents();
    extent[2] = last - first;
    return {view.data() + first * view.stride(2), extent, view.strides()};
  }
};

/// A wavefront sweep is faster from this number of elements on. Smaller fields stay in the last-level cache
/// anyway, and the shorter calls cost more.
inline constexpr std::int64_t wavefront_min_elements = 1 << 21;

/// Sweeps both colours of a block on the host in one pass over memory: the second colour follows the first
/// two planes behind, while these are in the caches. The bits are those of one colour after the other.
///
/// extent: of the block's fields. sweep(planes, colours) updates cells in place, with neighbours at most one
/// plane away, and runs on one thread inside a parallel loop. Each thread moves through planes of its own;
/// the second colour of the outermost ones, whose neighbours belong to other threads, comes at the end.
template <class Sweep>
void wavefront_sweep(const std::array<std::int64_t, 4>& extent, ColourRange colours, Sweep&& sweep,
                     std::int64_t least_elements = wavefront_min_elements) {
  const std::int64_t planes = extent[2];
  if (colours.first != 0 || colours.last != 2 || extent[0] * extent[1] * planes < least_elements) {
    sweep(PlaneRange{0, planes}, colours);
    return;
  }
  constexpr ColourRange red{0, 1};
  constexpr ColourRange black{1, 2};
  // Threads own pairs of planes [first, last), so that each part begins at an even one; the last may be half
  // a pair.
  const auto plane = [planes](std::int64_t pair) { return std::min(2 * pair, planes); };
  const auto late = [](std::int64_t first, std::int64_t last) { return last - first < 2 ? first : last - 1; };
  parallel_ranges((planes + 1) / 2, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t pair = first; pair < last; ++pair) {
      sweep(PlaneRange{plane(pair), plane(pair + 1)}, red);
      if (pair - 1 > first) sweep(PlaneRange{plane(pair - 1), plane(pair)}, black);
    }
  });
  parallel_ranges((planes + 1) / 2, [&](std::int64_t first, std::int64_t last) {
    if (first == last) return;
    sweep(PlaneRange{plane(first), plane(first + 1)}, black);
    if (late(first, last) > first) sweep(PlaneRange{plane(late(first, last)), plane(last)}, black);
  });
}

} // namespace heddle

#endif
