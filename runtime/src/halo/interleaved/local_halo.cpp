// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/interleaved/local_halo.hpp"

#include "cuda_copies.hpp"
#include "heddle/core/parallel.hpp"
#include "local_halo_vector.hpp"

namespace heddle {

void copy_local_halo(const LaneArray& array, const LocalHaloRows& rows, const void* wire, Memory memory,
                     Stream& stream) {
  if (memory == Memory::device) {
    cuda::copy_local_halo(array, rows, wire, stream.native());
    return;
  }
  with_vector(array.value_bytes, array.lanes, [&]<int lanes, typename T>() {
    parallel_ranges(rows.count * rows.longest, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int32_t* const row = rows.rows + i / rows.longest * LocalHaloRows::columns;
        const LocalHaloCopy<T> shift{VectorArray<T>(array), row, static_cast<const T*>(wire)};
        copy_local_vector(shift, LaneRotation<lanes>(row), static_cast<std::int32_t>(i % rows.longest));
      }
    });
  });
}

} // namespace heddle
