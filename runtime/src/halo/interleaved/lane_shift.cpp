// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/interleaved/lane_shift.hpp"

#include "cuda_copies.hpp"
#include "heddle/core/parallel.hpp"
#include "lane_shift_cell.hpp"

namespace heddle {

void shift_lanes(const LaneArray& array, const LaneShiftRows& rows, const void* wire, Memory memory,
                 Stream& stream) {
  if (memory == Memory::device) {
    cuda::shift_lanes(array, rows, wire, stream.native());
    return;
  }
  with_vector(array.value_bytes, array.lanes, [&]<int lanes, typename T>() {
    parallel_ranges(rows.count * rows.longest, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int32_t* const row = rows.rows + i / rows.longest * LaneShiftRows::columns;
        const LaneShift<T> shift{VectorArray<T>(array), row, static_cast<const T*>(wire)};
        shift_cell(shift, LaneTurn<lanes>(row), static_cast<std::int32_t>(i % rows.longest));
      }
    });
  });
}

} // namespace heddle
