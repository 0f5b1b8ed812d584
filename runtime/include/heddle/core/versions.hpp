// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_VERSIONS_HPP
#define HEDDLE_CORE_VERSIONS_HPP

#include <concepts>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace heddle {

class Stream;

/// What can be copied for a lagged task: from.like() is an object of the same shape with memory of its own,
/// from.shape() says all that its memory depends on, from.bytes() is its size, and to.copy_from(from, stream)
/// copies all values, ghost cells too, in the order of the stream. Field, SparseField, Profile and Buffer
/// are.
template <class T>
concept Versioned = requires(T& to, const T& from, Stream& stream) {
  { from.like() } -> std::same_as<T>;
  { from.shape() } -> std::convertible_to<std::string>;
  { from.bytes() } -> std::convertible_to<std::size_t>;
  to.copy_from(from, stream);
};

/// The same for an object whose type is not known any more.
struct VersionKind {
  const std::type_info* type;
  std::shared_ptr<void> (*like)(const void* object);
  std::string (*shape)(const void* object);
  std::size_t (*bytes)(const void* object);
  void (*copy)(void* to, const void* from, Stream& stream);
};

template <Versioned T>
inline constexpr VersionKind version_kind{
    &typeid(T),
    [](const void* object) -> std::shared_ptr<void> {
      return std::shared_ptr<T>(new T(static_cast<const T*>(object)->like()));
    },
    [](const void* object) -> std::string { return static_cast<const T*>(object)->shape(); },
    [](const void* object) -> std::size_t { return static_cast<const T*>(object)->bytes(); },
    [](void* to, const void* from, Stream& stream) {
      static_cast<T*>(to)->copy_from(*static_cast<const T*>(from), stream);
    }};

/// The copies that a lagged task works on instead of the objects that it was bound to.
class Versions {
public:
  void set(const void* object, std::shared_ptr<void> version, const std::type_info& type) {
    versions_[object] = {std::move(version), &type};
  }
  [[nodiscard]] bool empty() const noexcept { return versions_.empty(); }

  /// The copy of an object. Throws Error for one that the task has not declared.
  template <class T> [[nodiscard]] T& of(T& object) const {
    return *static_cast<T*>(find(&object, typeid(std::remove_const_t<T>)));
  }

private:
  struct Version {
    std::shared_ptr<void> object;
    const std::type_info* type;
  };
  [[nodiscard]] void* find(const void* object, const std::type_info& type) const;

  std::map<const void*, Version> versions_;
};

} // namespace heddle

#endif
