// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_ELEMENT_COPY_HPP
#define HEDDLE_ELEMENT_COPY_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

#include "heddle/memory.hpp"
#include "heddle/stream.hpp"

namespace heddle {

/// One value that is copied: element numbers in the array it comes from and in the one it goes to.
struct ElementCopy {
  static constexpr std::int32_t zero = std::numeric_limits<std::int32_t>::min(); // from nowhere: a zero
  std::int32_t from;
  std::int32_t to;
};

/// Copies values of 2, 4 or 8 bytes as a table says; `from` and `to` may be one array if no element is
/// written that another row reads or writes. All three lie in the memory of the table; device work is only
/// put into the stream.
void copy_elements(const void* from, void* to, std::size_t value_bytes, const ElementCopy* table,
                   std::int64_t count, Memory memory, Stream& stream);

} // namespace heddle

#endif
