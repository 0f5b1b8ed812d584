// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_HALO_INDEXED_COPY_ROW_HPP
#define HEDDLE_SRC_HALO_INDEXED_COPY_ROW_HPP

#include <cstddef>
#include <cstdint>

#include "heddle/core/error.hpp"
#include "heddle/device/qualifiers.hpp"
#include "heddle/halo/indexed_copy.hpp"

namespace heddle {

/// Carries out one row of the table.
template <typename T>
HEDDLE_HOST_DEVICE inline void copy_indexed_row(std::uintptr_t from_base, std::uintptr_t to_base,
                                                const IndexedCopy& row) {
  const T value = row.from == IndexedCopy::nothing ? T{} : *reinterpret_cast<const T*>(from_base + row.from);
  *reinterpret_cast<T*>(to_base + row.to) = value;
}

/// Calls visit(T{}) with an unsigned type of so many bytes.
template <typename Visit> void with_bits(std::size_t value_bytes, const Visit& visit) {
  switch (value_bytes) {
  case 2:
    return visit(std::uint16_t{});
  case 4:
    return visit(std::uint32_t{});
  case 8:
    return visit(std::uint64_t{});
  default:
    throw Error("copy_indexed", "values have 2, 4 or 8 bytes, not " + std::to_string(value_bytes));
  }
}

} // namespace heddle

#endif
