// SPDX-License-Identifier: Apache-2.0
#include "zip.hpp"

#include <zlib.h>

#include <algorithm>

#include "heddle/core/error.hpp"

namespace heddle::geometry {
namespace {

constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t directory_signature = 0x02014b50;
constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::size_t end_size = 22;
constexpr std::size_t directory_size = 46;
constexpr std::size_t local_size = 30;
constexpr std::size_t longest_comment = 65535;
constexpr std::uint64_t largest_deflate_ratio = 1032; // zlib's technical details

[[noreturn]] void corrupt(const std::string& where, const std::string& what) {
  throw Error(where, what, "the file is damaged or incomplete: copy or download it again");
}

std::size_t find_end_record(Bytes bytes, const std::string& where) {
  if (bytes.size() >= end_size) {
    const std::size_t last = bytes.size() - end_size;
    const std::size_t first = last > longest_comment ? last - longest_comment : 0;
    for (std::size_t at = last + 1; at-- > first;)
      if (value_at<std::uint32_t>(bytes, at) == end_signature) return at;
  }
  corrupt(where, "no ZIP directory at its end");
}

/// Members that share bytes are of no archive that NumPy writes.
void require_apart(const std::vector<ZipMember>& members, const std::string& where) {
  std::vector<const ZipMember*> sorted;
  for (const ZipMember& member : members)
    sorted.push_back(&member);
  std::ranges::stable_sort(sorted, {}, &ZipMember::header_offset);
  const auto shared = std::ranges::adjacent_find(sorted, [](const ZipMember* first, const ZipMember* next) {
    return first->header_offset + local_size + std::uint64_t{first->packed_size} > next->header_offset;
  });
  if (shared != sorted.end())
    corrupt(where, "its members '" + shared[0]->name + "' and '" + shared[1]->name + "' share bytes");
}

/// The data of a member as they lie in the archive, and its name for messages.
struct Packed {
  Bytes bytes;
  std::string place;
};

Packed find(Bytes bytes, const ZipMember& member, const std::string& where) {
  const std::string place = where + ", member '" + member.name + "'";
  const std::size_t header = member.header_offset;
  if (header + local_size > bytes.size() || value_at<std::uint32_t>(bytes, header) != local_signature)
    corrupt(place, "its ZIP header is not where the directory says");
  const std::size_t data = header + local_size + value_at<std::uint16_t>(bytes, header + 26) +
                           value_at<std::uint16_t>(bytes, header + 28);
  if (data + member.packed_size > bytes.size()) corrupt(place, "its data end beyond the file");
  // A directory that promises more than deflate can hold must not make us allocate it.
  if (member.size > (member.packed_size + std::uint64_t{1}) * largest_deflate_ratio)
    corrupt(place, "its directory promises more data than it can hold");
  return {bytes.subspan(data, member.packed_size), place};
}

/// The first `count` bytes of a member; all of them must be all that there are.
std::vector<std::uint8_t> unpack(const Packed& packed, const ZipMember& member, std::size_t count) {
  const std::string& place = packed.place;
  std::vector<std::uint8_t> out(count);
  if (member.method == 0) {
    if (member.packed_size != member.size) corrupt(place, "stored and directory sizes differ");
    std::copy_n(packed.bytes.begin(), count, out.begin());
  } else if (member.method == 8) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      throw Error(place, "zlib cannot be initialised", "free some memory");
    stream.next_in =
        const_cast<Bytef*>(packed.bytes.data()); // zlib's interface predates const; it only reads
    stream.avail_in = static_cast<uInt>(packed.bytes.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    const bool whole = count == member.size;
    const int status = inflate(&stream, whole ? Z_FINISH : Z_SYNC_FLUSH);
    const bool complete = stream.avail_out == 0 && (status == Z_STREAM_END || (!whole && status == Z_OK));
    inflateEnd(&stream);
    if (!complete) corrupt(place, "its deflated data are broken");
  } else {
    throw Error(place, "compression method " + std::to_string(member.method) + " is not supported",
                "save with numpy.savez or numpy.savez_compressed");
  }
  return out;
}

} // namespace

std::vector<ZipMember> zip_members(Bytes bytes, const std::string& where) {
  const std::size_t end = find_end_record(bytes, where);
  const auto count = value_at<std::uint16_t>(bytes, end + 10);
  const auto directory = value_at<std::uint32_t>(bytes, end + 16);
  if (count == 0xFFFF || directory == 0xFFFFFFFF)
    throw Error(where, "ZIP64 archives are not supported", "save the arrays one by one as .npy files");
  std::vector<ZipMember> members;
  std::size_t at = directory;
  for (int n = 0; n < count; ++n) {
    if (at + directory_size > end || value_at<std::uint32_t>(bytes, at) != directory_signature)
      corrupt(where, "its ZIP directory is broken at entry " + std::to_string(n + 1));
    const std::size_t name_length = value_at<std::uint16_t>(bytes, at + 28);
    const std::size_t other =
        std::size_t{value_at<std::uint16_t>(bytes, at + 30)} + value_at<std::uint16_t>(bytes, at + 32);
    if (at + directory_size + name_length + other > end)
      corrupt(where, "its ZIP directory is cut short at entry " + std::to_string(n + 1));
    ZipMember member;
    member.name.assign(reinterpret_cast<const char*>(bytes.data()) + at + directory_size, name_length);
    member.method = value_at<std::uint16_t>(bytes, at + 10);
    member.checksum = value_at<std::uint32_t>(bytes, at + 16);
    member.packed_size = value_at<std::uint32_t>(bytes, at + 20);
    member.size = value_at<std::uint32_t>(bytes, at + 24);
    member.header_offset = value_at<std::uint32_t>(bytes, at + 42);
    if (member.packed_size == 0xFFFFFFFF || member.size == 0xFFFFFFFF || member.header_offset == 0xFFFFFFFF)
      throw Error(where, "member '" + member.name + "' needs ZIP64, which is not supported",
                  "save it alone as a .npy file");
    members.push_back(std::move(member));
    at += directory_size + name_length + other;
  }
  require_apart(members, where);
  return members;
}

std::vector<std::uint8_t> zip_extract(Bytes bytes, const ZipMember& member, const std::string& where) {
  const Packed packed = find(bytes, member, where);
  std::vector<std::uint8_t> out = unpack(packed, member, member.size);
  if (crc32(0, out.data(), static_cast<uInt>(out.size())) != member.checksum)
    corrupt(packed.place, "its checksum differs");
  return out;
}

std::vector<std::uint8_t> zip_start(Bytes bytes, const ZipMember& member, std::size_t count,
                                    const std::string& where) {
  return unpack(find(bytes, member, where), member, std::min<std::size_t>(count, member.size));
}

} // namespace heddle::geometry
