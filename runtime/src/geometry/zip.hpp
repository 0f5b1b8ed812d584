// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GEOMETRY_ZIP_HPP
#define HEDDLE_SRC_GEOMETRY_ZIP_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "bytes.hpp"

namespace heddle::geometry {

// Own code: zlib inflates, and libzip takes 1.15 times as long (decision 0143).

/// One member of a ZIP archive, from the central directory (PKWARE APPNOTE 6.3, section 4.3.12).
struct ZipMember {
  std::string name;
  std::uint16_t method = 0; // 0 stored, 8 deflated
  std::uint32_t checksum = 0;
  std::uint32_t packed_size = 0;
  std::uint32_t size = 0;
  std::uint32_t header_offset = 0;
};

/// The members of the archive `bytes`; `where` names it in errors. Throws heddle::Error also for members that
/// share bytes: a small file could be unpacked many times over.
std::vector<ZipMember> zip_members(Bytes bytes, const std::string& where);

/// Unpacks one member and verifies its checksum.
std::vector<std::uint8_t> zip_extract(Bytes bytes, const ZipMember& member, const std::string& where);

/// The first `count` bytes of a member, or all where it has fewer; their checksum is not known.
std::vector<std::uint8_t> zip_start(Bytes bytes, const ZipMember& member, std::size_t count,
                                    const std::string& where);

} // namespace heddle::geometry

#endif
