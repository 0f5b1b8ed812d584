// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_FIELD_LAYOUT_HPP
#define HEDDLE_GRID_FIELD_LAYOUT_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "heddle/core/memory.hpp"

namespace heddle {

/// Ghost layers on each axis; a single number means all three.
struct GhostLayers {
  constexpr GhostLayers(int all) noexcept : layers{all, all, all} {}
  constexpr GhostLayers(int x, int y, int z) noexcept : layers{x, y, z} {}
  std::array<int, 3> layers;
};

inline constexpr std::int64_t host_line_bytes = 64;
inline constexpr std::int64_t device_line_bytes = 256;

/// How one block of a field lies in its allocation. All numbers are elements.
///
/// - x-stride 1; the first interior cell of each row starts a 64-byte line (the ghosts left of it share the
///   padding of the row before).
/// - A row is an odd number of lines and a plane never a multiple of 64 rows, so that neither rows nor planes
///   meet in the same 4 KiB offset; planes are whole rows, which strided device copies need.
/// - On a device, rows and components are whole pieces of 256 bytes instead: where streams begin elsewhere,
/// an H200
///   moves 3.6 to 3.9 TB/s instead of 4.1. Whatever is odd above is any number there; it has no sets to
///   spread over.
/// - Structure of arrays. The component stride is an odd number of lines, and such that 27 streams fall on
///   different sets, two lines apart, of a cache way of 4 KiB (L1); in large fields also of 64 KiB (L2).
struct FieldLayout {
  std::array<std::int64_t, 4> extent{}; // interior x, y, z; components
  std::array<std::int64_t, 4> stride{};
  std::int64_t origin = 0; // of the first interior cell of component 0
  std::int64_t size = 0;   // of the allocation

  /// `element`: bytes of one value (a divisor of 64). `interleaved`: blocks that share the allocation,
  /// element by element; strides, origin (of the first of them) and size are theirs. Throws Error for extents
  /// or components below one, negative ghost layers, a size beyond 2^63 bytes, or more interleaved blocks
  /// than a line holds.
  FieldLayout(const std::array<std::int64_t, 3>& interior, int components, const GhostLayers& ghosts,
              std::size_t element, Memory memory = Memory::host, int interleaved = 1);
};

/// The least component stride >= `lines`, in lines, at which streams fall on different sets of the caches.
[[nodiscard]] std::int64_t spread_lines(std::int64_t lines) noexcept;

} // namespace heddle

#endif
