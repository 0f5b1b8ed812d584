// SPDX-License-Identifier: MIT-0
// Preconditions of fields of interleaved blocks, checked before the first cell is accessed.
#ifndef HEDDLE_DEVICE_INTERLEAVED_HPP
#define HEDDLE_DEVICE_INTERLEAVED_HPP

#include <cstddef>
#include <cstdint>

#include "heddle/device/preconditions.hpp"

namespace heddle {

/// Check arrays whose elements stand for `lanes` interleaved blocks: neighbours along x lie `lanes`
/// elements apart, and every vector is aligned (to 16 bytes at most). Returns ok or the first
/// violation.
template <std::size_t count>
int check_interleaved(const ArrayArgument (&arrays)[count], int lanes) {
  const int status = check_arrays(arrays, false);
  if (status != ok) {
    return status;
  }
  std::int64_t strides[count][4];
  ArrayArgument vectors[count];
  bool empty = false;
  for (std::size_t i = 0; i < count; ++i) {
    const ArrayArgument& array = arrays[i];
    const std::size_t vector = static_cast<std::size_t>(lanes) * array.element_bytes;
    if (reinterpret_cast<std::uintptr_t>(array.data) % (vector < 16 ? vector : 16) != 0 ||
        array.stride[0] != lanes) {
      return bad_stride;
    }
    for (int d = 0; d < detail::dimensions(array); ++d) {
      if (array.stride[d] % lanes != 0) {
        return bad_stride;
      }
      strides[i][d] = array.stride[d] / lanes;
      empty = empty || array.extent[d] == 0;
    }
    vectors[i] = array;
    vectors[i].element_bytes = vector;
    vectors[i].stride = strides[i];
  }
  return empty ? ok : detail::check_overlap(vectors);
}

}  // namespace heddle

#endif
