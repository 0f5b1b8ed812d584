// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_FIELD_ACCESS_HPP
#define HEDDLE_GRID_FIELD_ACCESS_HPP

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "heddle/core/versions.hpp"

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

/// The address of an object that a task accesses; of a Field, SparseField or Buffer also how it is copied,
/// for tasks that lag.
class AccessedObject {
public:
  constexpr AccessedObject(std::nullptr_t = nullptr) noexcept {} // NOLINT(google-explicit-constructor)
  template <class T>
  constexpr AccessedObject(const T* object) noexcept
      : address_(object) { // NOLINT(google-explicit-constructor)
    if constexpr (!std::is_void_v<T>) {
      if constexpr (Versioned<T>) kind_ = &version_kind<T>;
    }
  }
  constexpr AccessedObject(const void* address, const VersionKind* kind) noexcept
      : address_(address), kind_(kind) {}

  constexpr operator const void*() const noexcept { return address_; } // NOLINT(google-explicit-constructor)
  /// Null: it cannot be copied.
  [[nodiscard]] constexpr const VersionKind* kind() const noexcept { return kind_; }

private:
  const void* address_ = nullptr;
  const VersionKind* kind_ = nullptr;
};

/// What a task declares about one object (usually the address of a Field). In-place updates are both a read
/// and a write.
struct FieldAccess {
  static constexpr int anywhere = -1;

  AccessedObject object;
  std::string_view name;
  AccessMode mode = AccessMode::read;
  /// How many cells beyond the computed cell a sweep accesses; 0: only that cell.
  int reach = anywhere;
  /// The axes along which it does.
  std::array<bool, 3> axes{true, true, true};
};

} // namespace heddle

#endif
