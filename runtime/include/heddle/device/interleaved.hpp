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
  for (const ArrayArgument& array : arrays) {
    const std::size_t vector = static_cast<std::size_t>(lanes) * array.element_bytes;
    if (reinterpret_cast<std::uintptr_t>(array.data) % (vector < 16 ? vector : 16) != 0 ||
        array.stride[0] != lanes) {
      return bad_stride;
    }
    for (int d = 1; d < array.rank + (array.components != 0 ? 1 : 0); ++d) {
      if (array.stride[d] % lanes != 0) {
        return bad_stride;
      }
    }
  }
  return ok;
}

}  // namespace heddle

#endif
