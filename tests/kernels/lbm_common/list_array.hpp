// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LIST_ARRAY_HPP
#define HEDDLE_LIST_ARRAY_HPP

#include <array>
#include <cstdint>

#include "heddle/sparse/sparse_view.hpp"

namespace test {

/// A field over a list as the C entries take it.
template <class T> struct ListArray {
  explicit ListArray(const heddle::SparseView<T>& view)
      : data(view.data()), extent{view.extent(0), view.extent(1)}, stride{view.stride(0), view.stride(1)} {}

  T* data;
  std::array<std::int64_t, 2> extent;
  std::array<std::int64_t, 2> stride;
};

} // namespace test

/// Its three arguments.
#define HEDDLE_ARRAY(field) field.data, field.extent.data(), field.stride.data()

#endif
