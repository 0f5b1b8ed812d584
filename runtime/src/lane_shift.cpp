// SPDX-License-Identifier: Apache-2.0
#include "heddle/lane_shift.hpp"

#include "cuda.hpp"
#include "heddle/parallel.hpp"
#include "lane_shift_cell.hpp"

namespace heddle {

void shift_lanes(const LaneArray& array, const LaneShiftRows& rows, Memory memory, Stream& stream) {
  if (memory == Memory::device) {
    cuda::shift_lanes(array, rows, stream.native());
    return;
  }
  with_vector(array.value_bytes, array.lanes, [&]<int lanes, typename T>() {
    auto* const data = static_cast<T*>(array.data);
    const std::int64_t stride_y = array.stride[0], stride_z = array.stride[1], stride_component = array.stride[2];
    parallel_ranges(rows.count * rows.longest, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::int32_t* const row = rows.rows + i / rows.longest * LaneShiftRows::columns;
        shift_cell<lanes>(data, stride_y, stride_z, stride_component, row, static_cast<std::int32_t>(i % rows.longest));
      }
    });
  });
}

} // namespace heddle
