// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_FIELD_LAYOUT_HPP
#define HEDDLE_FIELD_LAYOUT_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle {

/// Ghost layers on each axis; a single number means all three.
struct GhostLayers {
  constexpr GhostLayers(int all) noexcept : layers{all, all, all} {}
  constexpr GhostLayers(int x, int y, int z) noexcept : layers{x, y, z} {}
  std::array<int, 3> layers;
};

/// How one block of a field lies in its allocation. All numbers are elements.
///
/// - x-stride 1; the first interior cell of each row starts a 64-byte line (the ghosts left of it share the
///   padding of the row before).
/// - A row is an odd number of lines and a plane never a multiple of 64 rows, so that neither rows nor planes
///   meet in the same 4 KiB offset; planes are whole rows, which strided device copies need.
/// - Structure of arrays. The component stride is an odd number of lines, and such that 27 streams fall on
///   different sets, two lines apart, of a cache way of 4 KiB (L1); in large fields also of 64 KiB (L2).
struct FieldLayout {
  std::array<std::int64_t, 4> extent{}; // interior x, y, z; components
  std::array<std::int64_t, 4> stride{};
  std::int64_t origin = 0; // of the first interior cell of component 0
  std::int64_t size = 0;   // of the allocation

  /// `element`: bytes of one value (a divisor of 64). Throws Error for extents or components below one,
  /// negative ghost layers, or a size beyond 2^63 bytes.
  FieldLayout(const std::array<std::int64_t, 3>& interior, int components, const GhostLayers& ghosts,
              std::size_t element);
};

/// The least component stride >= `lines`, in lines, at which streams fall on different sets of the caches.
[[nodiscard]] std::int64_t spread_lines(std::int64_t lines) noexcept;

} // namespace heddle

#endif
