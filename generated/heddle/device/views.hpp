// SPDX-License-Identifier: MIT-0
// What the C++ wrappers of a module share: from views to the arrays of a C entry, from its status
// to an exception. Needs nothing of heddle::runtime.
#ifndef HEDDLE_DEVICE_VIEWS_HPP
#define HEDDLE_DEVICE_VIEWS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "heddle/device/preconditions.hpp"

namespace heddle {

/// A kernel refused its arguments; code() is the status of the C entry, see heddle::Status. what()
/// names the kernel and its fields, with extents, addresses and strides as far as they matter.
class PreconditionError : public std::invalid_argument {
 public:
  PreconditionError(const char* kernel, int code, const std::string& fields = "")
      : std::invalid_argument(std::string(kernel) + ": " + reason(code) + fields), code_(code) {
  }
  int code() const {
    return code_;
  }

 private:
  static const char* reason(int code) {
    switch (code) {
      case null_pointer:
        return "a field has no memory (null pointer)";
      case extents_differ:
        return "the fields differ in extent or number of components, or are larger than memory or "
               "than the kernel's indices; or a launch has more than 65535 blocks of threads along "
               "y "
               "or z";
      case bad_stride:
        return "a written field has stride zero, a stride leads beyond all memory, or strides were "
               "promised and not given: 1 along x, or the same for all fields";
      case fields_overlap:
        return "a written field shares an element with itself or another field, or with the ghost "
               "cells that are read of that; give each its own memory";
      case index_outside:
        return "an index lies outside a field";
      case misaligned:
        return "the address of a field is no multiple of the size of its elements";
      case uneven_rows:
        return "a thread takes several cells of a row at once, and the cells of a row, a stride or "
               "an "
               "address are no multiple of these";
      default:
        return "the launch on the device failed";
    }
  }
  int code_;
};

namespace detail {

template <typename View, std::size_t... d>
std::array<std::int64_t, sizeof...(d)> extents(const View& view, std::index_sequence<d...>) {
  return {static_cast<std::int64_t>(view.extent(d))...};
}

template <typename View, std::size_t... d>
std::array<std::int64_t, sizeof...(d)> strides(const View& view, std::index_sequence<d...>) {
  return {static_cast<std::int64_t>(view.stride(d))...};
}

/// The extents of a view with `rank` axes, as a C entry takes them.
template <std::size_t rank, typename View>
std::array<std::int64_t, rank> extents(const View& view) {
  return extents(view, std::make_index_sequence<rank>());
}

/// Its strides in elements.
template <std::size_t rank, typename View>
std::array<std::int64_t, rank> strides(const View& view) {
  return strides(view, std::make_index_sequence<rank>());
}

template <typename View>
using Element =
    std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const View&>().data())>>;

/// A field as an entry takes it, and its name.
struct Shape {
  const char* name;
  const void* data;
  const std::int64_t* extent;
  const std::int64_t* stride;
  std::size_t dimensions;

  template <std::size_t count>
  Shape(const char* name_, const void* data_, const std::array<std::int64_t, count>& extent_,
        const std::array<std::int64_t, count>& stride_)
      : name(name_),
        data(data_),
        extent(extent_.data()),
        stride(stride_.data()),
        dimensions(count) {
  }
};

inline std::string listed(const std::int64_t* numbers, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "{" : ", ") + std::to_string(numbers[i]);
  }
  return text + "}";
}

/// ": u {64, 64}, v {8, 8}", with addresses and strides where the status is about these.
inline std::string described(const Shape* shapes, std::size_t count, int status) {
  const bool placed = status == null_pointer || status == fields_overlap || status == misaligned ||
                      status == uneven_rows;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const Shape& shape = shapes[i];
    text += (i == 0 ? ": " : ", ") + std::string(shape.name) + " " +
            listed(shape.extent, shape.dimensions);
    if (placed) {
      text += " at address " + std::to_string(reinterpret_cast<std::uintptr_t>(shape.data));
    }
    if (status == fields_overlap || status == bad_stride) {
      text += " with strides " + listed(shape.stride, shape.dimensions);
    }
  }
  return text;
}

/// Whether wrappers look through the tables of lists first, which kernels trust: as assert does.
#ifdef NDEBUG
constexpr bool tables_checked = false;
#else
constexpr bool tables_checked = true;
#endif

/// Throws PreconditionError for the status of an entry that is not ok.
inline void require(const char* kernel, int status) {
  if (status != ok) {
    throw PreconditionError(kernel, status);
  }
}

/// The same for an entry that takes fields.
template <std::size_t count>
void require(const char* kernel, int status, const Shape (&shapes)[count]) {
  if (status != ok) {
    throw PreconditionError(kernel, status, described(shapes, count, status));
  }
}

}  // namespace detail
}  // namespace heddle

#endif
