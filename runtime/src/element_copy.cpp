// SPDX-License-Identifier: Apache-2.0
#include "heddle/element_copy.hpp"

#include "cuda.hpp"
#include "element_copy_row.hpp"
#include "heddle/parallel.hpp"

namespace heddle {

void copy_elements(const void* from, void* to, std::size_t value_bytes, const ElementCopy* table,
                   std::int64_t count, Memory memory, Stream& stream) {
  if (memory == Memory::device) {
    cuda::copy_elements(from, to, value_bytes, table, count, stream.native());
    return;
  }
  with_bits(value_bytes, [&]<typename T>(T) {
    parallel_ranges(count, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        copy_element(static_cast<const T*>(from), static_cast<T*>(to), table[i]);
    });
  });
}

} // namespace heddle
