// SPDX-License-Identifier: Apache-2.0
// A vector an index: 16 bytes of a row in one access, where a pack kernel takes one lane of each vector.
#include "heddle/halo/interleaved/local_halo.hpp"

#include "heddle/core/for_each.hpp"
#include "local_halo_vector.hpp"

namespace heddle {

namespace {

template <int lanes, typename T> struct CopyLocalVectors {
  LocalHaloCopy<T> copy;
  std::uint32_t rows;

  /// A tile of indices is one of a row's. The same cells of all rows come at about the same time: what two of
  /// them read is then still in the cache.
  HEDDLE_HOST_DEVICE void operator()(std::int64_t i) const {
    const auto tile = static_cast<std::uint32_t>(i / loop_tile);
    LocalHaloCopy<T> one = copy;
    one.row += tile % rows;
    copy_local_vector(
        one, LaneRotation<lanes>(*one.row),
        static_cast<std::int32_t>(tile / rows * loop_tile + static_cast<std::uint32_t>(i % loop_tile)));
  }
};

} // namespace

void copy_local_halo(const LaneArray& array, const LocalHaloRows& rows, const void* buffer, Memory memory,
                     Stream& stream) {
  const std::int64_t tiles = (rows.longest + loop_tile - 1) / loop_tile * rows.count;
  with_vector(array.value_bytes, array.lanes, [&]<int lanes, typename T>() {
    for_each(tiles * loop_tile, memory, stream,
             CopyLocalVectors<lanes, T>{{VectorArray<T>(array), rows.rows, static_cast<const T*>(buffer)},
                                        static_cast<std::uint32_t>(rows.count)});
  });
}

} // namespace heddle
