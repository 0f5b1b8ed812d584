// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_INDEXED_COPY_HPP
#define HEDDLE_HALO_INDEXED_COPY_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"

namespace heddle {

/// One value to copy: addresses, or byte offsets from a base. One table can therefore copy values of many
/// allocations.
struct IndexedCopy {
  static constexpr std::uintptr_t nothing =
      std::numeric_limits<std::uintptr_t>::max(); // from nowhere: a zero
  std::uintptr_t from;
  std::uintptr_t to;
};

/// Copies values of 2, 4 or 8 bytes as a table says, each from `from_base` (null: rows hold addresses) to
/// `to_base`; no value may be written that another row reads or writes. All of it lies in one memory; device
/// work is only put into the stream.
void copy_indexed(const void* from_base, void* to_base, std::size_t value_bytes, const IndexedCopy* table,
                  std::int64_t count, Memory memory, Stream& stream);

} // namespace heddle

#endif
