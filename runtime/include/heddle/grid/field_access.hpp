// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_FIELD_ACCESS_HPP
#define HEDDLE_GRID_FIELD_ACCESS_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

#include "heddle/core/lifetime.hpp"
#include "heddle/core/versions.hpp"
#include "heddle/grid/halo_state.hpp"

namespace heddle {

/// What a task does with a field.
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

/// The address of an object that a task accesses; of a Field, SparseField, Profile or Buffer also how it is
/// copied, for tasks that lag; of fields also what is known of their ghost layers, and whether they have
/// ended.
class AccessedObject {
public:
  constexpr AccessedObject(std::nullptr_t = nullptr) noexcept {} // NOLINT(google-explicit-constructor)
  template <class T>
  constexpr AccessedObject(const T* object) noexcept
      : address_(object) { // NOLINT(google-explicit-constructor)
    if constexpr (!std::is_void_v<T>) {
      if constexpr (Versioned<T>) kind_ = &version_kind<T>;
      if constexpr (requires {
                      { object->halo_state() } -> std::same_as<HaloState&>;
                    })
        halo_ = &object->halo_state();
      if constexpr (requires {
                      { object->lifetime() } -> std::same_as<const Lifetime&>;
                    })
        lifetime_ = &object->lifetime();
    }
  }
  /// Of an object that is known to live: its lifetime is not watched.
  constexpr AccessedObject(const void* address, const VersionKind* kind, HaloState* halo = nullptr) noexcept
      : address_(address), kind_(kind), halo_(halo) {}

  constexpr operator const void*() const noexcept { return address_; } // NOLINT(google-explicit-constructor)
  /// Null: it cannot be copied.
  [[nodiscard]] constexpr const VersionKind* kind() const noexcept { return kind_; }
  /// Null: it has no ghost layers.
  [[nodiscard]] constexpr HaloState* halo() const noexcept { return halo_; }
  /// Null: nobody finds out that it has ended.
  [[nodiscard]] constexpr const Lifetime* lifetime() const noexcept { return lifetime_; }

private:
  const void* address_ = nullptr;
  const VersionKind* kind_ = nullptr;
  HaloState* halo_ = nullptr;
  const Lifetime* lifetime_ = nullptr;
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
  /// The same along each axis; empty: `reach` along all of them.
  std::optional<Reach> along{};

  [[nodiscard]] constexpr Reach cells() const noexcept { return along.value_or(reach > 0 ? reach : 0); }
};

} // namespace heddle

#endif
