// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_PROJECTION_PLANE_HPP
#define HEDDLE_SRC_PROJECTION_PLANE_HPP

#include <array>
#include <cstdint>

#include "heddle/core/dispatch.hpp"
#include "heddle/grid/field_view.hpp"

namespace heddle::detail {

/// The plane of a field at `index` along `axis`, with `rim` more cells on either side along the other axes.
template <class T>
PlaneView<T> plane(const FieldView<T>& field, int axis, std::int64_t index,
                   const std::array<std::int64_t, 3>& rim = {0, 0, 0}) {
  const int a = axis == 0 ? 1 : 0;
  const int b = axis == 2 ? 1 : 2;
  const std::int64_t ga = rim[static_cast<std::size_t>(a)];
  const std::int64_t gb = rim[static_cast<std::size_t>(b)];
  T* first = field.data() + index * field.stride(axis) - ga * field.stride(a) - gb * field.stride(b);
  return {
      first, {field.extent(a) + 2 * ga, field.extent(b) + 2 * gb, 1}, {field.stride(a), field.stride(b), 1}};
}

} // namespace heddle::detail

#endif
