// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_FIELD_ACCESS_HPP
#define HEDDLE_GRID_FIELD_ACCESS_HPP

#include <array>
#include <string_view>

namespace heddle {

enum class AccessMode { read, write };

/// How many cells beyond the computed cell a kernel accesses along x, y and z.
struct Reach {
  std::array<int, 3> cells{};

  /// The same along all axes.
  constexpr Reach(int all) : cells{all, all, all} {} // NOLINT(google-explicit-constructor): reads(u, 1)
  constexpr Reach(int x, int y, int z) : cells{x, y, z} {}

  [[nodiscard]] constexpr int most() const noexcept {
    return cells[0] > cells[1] ? (cells[0] > cells[2] ? cells[0] : cells[2])
                               : (cells[1] > cells[2] ? cells[1] : cells[2]);
  }
};

/// What a task declares about one object (usually the address of a Field). In-place updates are both a read
/// and a write.
struct FieldAccess {
  static constexpr int anywhere = -1;

  const void* object = nullptr;
  std::string_view name;
  AccessMode mode = AccessMode::read;
  /// How many cells beyond the computed cell a sweep accesses; 0: only that cell.
  int reach = anywhere;
  /// The axes along which it does.
  std::array<bool, 3> axes{true, true, true};
};

} // namespace heddle

#endif
