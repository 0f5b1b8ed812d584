// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_SPACE_FILLING_CURVE_HPP
#define HEDDLE_GRID_SPACE_FILLING_CURVE_HPP

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle {

/// How far along Hilbert's curve in a cube of 2^bits cells per axis the cell is; bits <= 21.
[[nodiscard]] std::uint64_t curve_distance(std::array<std::uint32_t, 3> cell, int bits);

/// The places of a grid of blocks, numbered x fastest, in the order in which Hilbert's curve meets them: what
/// follows each other lies side by side, so that a stretch of the curve is a compact part of the domain with
/// a small surface. The curve is that of the least cube of 2^k places that holds the grid; places outside are
/// left out. Skilling, Programming the Hilbert curve, AIP Conference Proceedings 707, 381 (2004).
[[nodiscard]] std::vector<int> curve_order(const std::array<int, 3>& extent);

/// Cuts things in a row into as many parts of about equal weight: the first of each part, and the number of
/// things last. Every part has at least one; there are at least as many things as parts. A part ends where
/// its share is reached best.
[[nodiscard]] std::vector<int> cut_by_weight(std::span<const std::int64_t> weights, int parts);

} // namespace heddle

#endif
