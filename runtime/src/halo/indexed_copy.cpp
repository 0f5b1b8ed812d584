// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/indexed_copy.hpp"

#include "cuda_copies.hpp"
#include "heddle/core/parallel.hpp"
#include "indexed_copy_row.hpp"

namespace heddle {

void copy_indexed(const void* from_base, void* to_base, std::size_t value_bytes, const IndexedCopy* table,
                  std::int64_t count, Memory memory, Stream& stream) {
  if (memory == Memory::device) {
    cuda::copy_indexed(from_base, to_base, value_bytes, table, count, stream.native());
    return;
  }
  with_bits(value_bytes, [&]<typename T>(T) {
    parallel_ranges(count, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        copy_indexed_row<T>(reinterpret_cast<std::uintptr_t>(from_base),
                            reinterpret_cast<std::uintptr_t>(to_base), table[i]);
    });
  });
}

} // namespace heddle
