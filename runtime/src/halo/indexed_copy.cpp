// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/indexed_copy.hpp"

#include <string>

#include "heddle/core/error.hpp"
#include "heddle/core/for_each.hpp"
#include "heddle/device/qualifiers.hpp"

namespace heddle {

namespace {

template <typename T> struct CopyRow {
  std::uintptr_t from_base;
  std::uintptr_t to_base;
  const IndexedCopy* table;

  HEDDLE_HOST_DEVICE void operator()(std::int64_t i) const {
    const IndexedCopy row = table[i];
    const T value =
        row.from == IndexedCopy::nothing ? T{} : *reinterpret_cast<const T*>(from_base + row.from);
    *reinterpret_cast<T*>(to_base + row.to) = value;
  }
};

} // namespace

void copy_indexed(const void* from_base, void* to_base, std::size_t value_bytes, const IndexedCopy* table,
                  std::int64_t count, Memory memory, Stream& stream) {
  const auto copy = [&]<typename T>(T) {
    for_each(count, memory, stream,
             CopyRow<T>{reinterpret_cast<std::uintptr_t>(from_base),
                        reinterpret_cast<std::uintptr_t>(to_base), table});
  };
  switch (value_bytes) {
  case 2:
    return copy(std::uint16_t{});
  case 4:
    return copy(std::uint32_t{});
  case 8:
    return copy(std::uint64_t{});
  default:
    throw Error("copy_indexed", "values of " + std::to_string(value_bytes) + " bytes are not supported",
                "use 2, 4 or 8 bytes");
  }
}

} // namespace heddle
