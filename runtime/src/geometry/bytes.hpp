// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GEOMETRY_BYTES_HPP
#define HEDDLE_SRC_GEOMETRY_BYTES_HPP

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

namespace heddle::geometry {

static_assert(std::endian::native == std::endian::little,
              "the readers copy little-endian values as they stand");

using Bytes = std::span<const std::uint8_t>;

/// The whole file; throws heddle::Error where it is missing, a folder or unreadable.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

/// A little-endian value at `offset`; the caller has checked the bounds.
template <class T> T value_at(Bytes bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

} // namespace heddle::geometry

#endif
