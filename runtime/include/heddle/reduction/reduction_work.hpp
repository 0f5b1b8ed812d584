// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_REDUCTION_REDUCTION_WORK_HPP
#define HEDDLE_REDUCTION_REDUCTION_WORK_HPP

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"

namespace heddle {

/// Values that the scratch array of a kernel that reduces over `cells` cells of a list must hold.
inline std::int64_t reduction_work(std::int64_t cells) {
  const std::int64_t tiles = (cells + 31) / 32;
  return tiles + tiles / 1024 + 1;
}

/// The same for a kernel with cells, or columns, along these `axes` of the largest block of a field: tiles of
/// 32 lie along the first of them.
template <class Field>
std::int64_t reduction_work(const Field& field, std::initializer_list<int> axes, int colours = 1) {
  std::int64_t largest = 0;
  for (int b = 0; b < field.blocks(); ++b) {
    const auto view = field.view(b);
    std::int64_t cells = 32;
    bool first = true;
    for (const int axis : axes) {
      cells *= first ? (view.extent(axis) + 31) / 32 : view.extent(axis);
      first = false;
    }
    largest = std::max(largest, cells);
  }
  return reduction_work(largest * colours);
}

/// Throws Error if a buffer cannot take one value for each block.
template <class T> void require_values(const Buffer<T>& buffer, int blocks, const char* kernel) {
  if (buffer.size() < blocks) {
    throw Error(kernel,
                "a buffer for a reduction holds " + std::to_string(buffer.size()) +
                    " values, but there are " + std::to_string(blocks) + " blocks",
                "use one value per block");
  }
}

} // namespace heddle

#endif
