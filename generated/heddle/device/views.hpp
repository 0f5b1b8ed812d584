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

/// A kernel refused its arguments; code() is the status of the C entry, see heddle::Status.
class PreconditionError : public std::invalid_argument {
 public:
  PreconditionError(const char* kernel, int code)
      : std::invalid_argument(std::string(kernel) + ": " + reason(code)), code_(code) {
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
        return "the fields differ in extent or number of components";
      case bad_stride:
        return "a written field has stride zero, or unit stride in x was promised and not given";
      case fields_overlap:
        return "a written field shares an element with another field; give each its own memory";
      case index_outside:
        return "an index lies outside a field";
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

/// Throws PreconditionError for the status of an entry that is not ok.
inline void require(const char* kernel, int status) {
  if (status != ok) {
    throw PreconditionError(kernel, status);
  }
}

}  // namespace detail
}  // namespace heddle

#endif
