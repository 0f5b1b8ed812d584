// SPDX-License-Identifier: MIT-0
// Whether the tables of a list lead to elements of its fields. Kernels trust them: to look through
// them costs up to as much as to run.
#ifndef HEDDLE_DEVICE_LIST_TABLES_HPP
#define HEDDLE_DEVICE_LIST_TABLES_HPP

#include <cstdint>

namespace heddle {

/// Whether all listed cells are cells of a field. No pointer, and none or fewer cells: left to the
/// kernel's own checks.
inline bool cells_inside(const std::uint32_t* cells, std::int64_t cell_count,
                         const std::int64_t* extent) {
  if (cells == nullptr || extent == nullptr) {
    return true;
  }
  bool inside = true;
  for (std::int64_t i = 0; i < cell_count; ++i) {
    inside = inside && cells[i] < extent[0];
  }
  return inside;
}

namespace detail {

/// Elements of the slots 0 to `slot` of a field over a list, in memory.
inline std::int64_t elements_of(const std::int64_t* extent, const std::int64_t* stride, int slot) {
  return extent[0] + (slot == 0 ? 0 : slot * stride[1]);
}

}  // namespace detail

/// Whether `rows` rows of a neighbour table lead to elements of the slots 0 to `slot` of a field,
/// for its cells first <= n < last. What the kernel's own checks refuse is left to them.
inline bool links_inside(const std::uint32_t* table, int rows, std::int64_t table_stride,
                         std::int64_t first, std::int64_t last, const std::int64_t* extent,
                         const std::int64_t* stride, int slot) {
  if (table == nullptr || extent == nullptr || stride == nullptr || first < 0 || last > extent[0] ||
      last > table_stride) {
    return true;
  }
  const std::int64_t elements = detail::elements_of(extent, stride, slot);
  bool inside = true;
  for (int row = 0; row < rows; ++row) {
    for (std::int64_t n = first; n < last; ++n) {
      inside = inside && table[row * table_stride + n] < elements;
    }
  }
  return inside;
}

/// The same for listed cells, which are those of the field and of the table.
inline bool links_inside(const std::uint32_t* table, int rows, std::int64_t table_stride,
                         const std::uint32_t* cells, std::int64_t cell_count,
                         const std::int64_t* extent, const std::int64_t* stride, int slot) {
  if (table == nullptr || cells == nullptr || extent == nullptr || stride == nullptr) {
    return true;
  }
  const std::int64_t elements = detail::elements_of(extent, stride, slot);
  for (std::int64_t i = 0; i < cell_count; ++i) {
    const std::int64_t n = cells[i];
    if (n >= extent[0] || n >= table_stride) {
      return false;
    }
    for (int row = 0; row < rows; ++row) {
      if (table[row * table_stride + n] >= elements) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace heddle

#endif
