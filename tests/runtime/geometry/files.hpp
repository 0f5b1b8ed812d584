// SPDX-License-Identifier: Apache-2.0
// Small writers for the tests, independent of the readers under test.
#ifndef HEDDLE_FILES_HPP
#define HEDDLE_FILES_HPP

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../support/messages.hpp"
#include "../../support/test_folder.hpp"

namespace heddle::test {

using ::test::contains;
using ::test::error_of;
using ::test::Folder;

template <class T> std::string raw(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <class T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& values,
                const std::string& fortran = "False") {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  std::string bytes =
      std::string("\x93NUMPY\x01", 7) + '\0' + raw(static_cast<std::uint16_t>(header.size())) + header;
  for (const T value : values)
    bytes += raw(value);
  return bytes;
}

inline std::string deflated(const std::string& data) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(data.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// The parts one after the other.
inline std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts)
    text += part;
  return text;
}

/// A ZIP archive of the members, deflated or stored.
inline std::string zip(const std::vector<std::pair<std::string, std::string>>& members, bool deflate) {
  const std::string zero_16 = raw(std::uint16_t{0});
  const std::string zero_32 = raw(std::uint32_t{0});
  std::string bytes;
  std::string directory;
  for (const auto& [name, data] : members) {
    const std::string packed = deflate ? deflated(data) : data;
    const auto sum = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
    const std::string common = joined(
        {raw(std::uint16_t{20}), zero_16, raw(static_cast<std::uint16_t>(deflate ? 8 : 0)), zero_32, raw(sum),
         raw(static_cast<std::uint32_t>(packed.size())), raw(static_cast<std::uint32_t>(data.size())),
         raw(static_cast<std::uint16_t>(name.size())), zero_16});
    directory += joined({"PK\x01\x02", raw(std::uint16_t{20}), common, zero_16, zero_16, zero_16, zero_32,
                         raw(static_cast<std::uint32_t>(bytes.size())), name});
    bytes += joined({"PK\x03\x04", common, name, packed});
  }
  const auto start = static_cast<std::uint32_t>(bytes.size());
  const auto count = static_cast<std::uint16_t>(members.size());
  return joined({bytes, directory, "PK\x05\x06", zero_32, raw(count), raw(count),
                 raw(static_cast<std::uint32_t>(directory.size())), raw(start), zero_16});
}

} // namespace heddle::test

#endif
