// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/npy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "bytes.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/size.hpp"
#include "zip.hpp"

namespace heddle::geometry {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(where, what, "write the array with numpy.save, numpy.savez or numpy.savez_compressed");
}

/// The text after `'key':` in the header, a Python dictionary literal; stripped of leading blanks.
std::string_view entry(std::string_view header, std::string_view key, const std::string& where) {
  std::string quoted = "'";
  quoted.append(key).append("'");
  const std::size_t at = header.find(quoted);
  const std::size_t colon = at == header.npos ? at : header.find(':', at + quoted.size());
  if (colon == header.npos) refuse(where, "its npy header has no entry " + quoted);
  header.remove_prefix(colon + 1);
  const std::size_t text = header.find_first_not_of(' ');
  return text == header.npos ? std::string_view{} : header.substr(text);
}

std::vector<std::int64_t> parse_shape(std::string_view text, const std::string& where) {
  const std::size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == text.npos)
    refuse(where, "its npy header has no valid shape");
  text = text.substr(1, close - 1);
  std::vector<std::int64_t> shape;
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of(" ,");
    if (start == text.npos) break;
    std::int64_t extent = 0;
    const auto [end, status] = std::from_chars(text.data() + start, text.data() + text.size(), extent);
    if (status != std::errc{} || extent < 0) refuse(where, "its npy header has no valid shape");
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return shape;
}

template <class T> void widen(Bytes data, std::vector<double>& values) {
  for (std::size_t n = 0; n < values.size(); ++n)
    values[n] = static_cast<double>(value_at<T>(data, n * sizeof(T)));
}

struct ElementType {
  std::string_view code;
  std::string_view name;
  std::size_t size;
  void (*widen)(Bytes, std::vector<double>&);
};

constexpr std::array<ElementType, 11> element_types{{
    {"|b1", "bool", 1, widen<std::uint8_t>},
    {"|i1", "int8", 1, widen<std::int8_t>},
    {"|u1", "uint8", 1, widen<std::uint8_t>},
    {"<i2", "int16", 2, widen<std::int16_t>},
    {"<u2", "uint16", 2, widen<std::uint16_t>},
    {"<i4", "int32", 4, widen<std::int32_t>},
    {"<u4", "uint32", 4, widen<std::uint32_t>},
    {"<i8", "int64", 8, widen<std::int64_t>},
    {"<u8", "uint64", 8, widen<std::uint64_t>},
    {"<f4", "float32", 4, widen<float>},
    {"<f8", "float64", 8, widen<double>},
}};

/// What stands before the values.
struct Header {
  std::vector<std::int64_t> shape;
  const ElementType* type;
  std::size_t start; // of the values
};

constexpr std::size_t longest_preamble = 12;    // magic, version, length of the text
constexpr std::size_t longest_text = 64 * 1024; // NumPy itself reads 10 000 bytes

/// Where the values begin; bytes: at least the first longest_preamble ones, where there are so many.
std::size_t values_begin(Bytes bytes, const std::string& where) {
  if (bytes.size() < 10 ||
      std::string_view(reinterpret_cast<const char*>(bytes.data()), magic.size()) != magic)
    refuse(where, "this is not an npy array: its first bytes differ");
  const int version = bytes[6];
  if (version < 1 || version > 3)
    refuse(where, "npy format version " + std::to_string(version) + " is not supported");
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) refuse(where, "its npy header is incomplete");
  const std::size_t length =
      version == 1 ? value_at<std::uint16_t>(bytes, 8) : std::size_t{value_at<std::uint32_t>(bytes, 8)};
  if (length > longest_text) refuse(where, "its npy header has " + std::to_string(length) + " bytes");
  return start + length;
}

/// bytes: the file up to its values, at least.
Header parse_header(Bytes bytes, const std::string& where) {
  Header header{{}, nullptr, values_begin(bytes, where)};
  if (header.start > bytes.size()) refuse(where, "its npy header is incomplete");
  const std::size_t first = bytes[6] == 1 ? 10 : 12;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + first, header.start - first);
  header.shape = parse_shape(entry(text, "shape", where), where);
  if (!entry(text, "fortran_order", where).starts_with("False") && header.shape.size() > 1)
    throw Error(where, "the array is in Fortran order", "save numpy.ascontiguousarray(a)");
  std::string_view code = entry(text, "descr", where);
  const std::size_t quote = code.empty() || code.front() != '\'' ? code.npos : code.find('\'', 1);
  code = quote == code.npos ? std::string_view{} : code.substr(1, quote - 1);
  for (const ElementType& candidate : element_types)
    if (candidate.code == code) header.type = &candidate;
  if (header.type == nullptr)
    throw Error(where, "element type '" + std::string(code) + "' is not supported",
                "convert to int16, int32, float32 or float64, little endian, before saving");
  return header;
}

/// The number of values that a header announces, where they may be read: as stored and widened.
std::int64_t require_values(const Header& header, std::size_t file_bytes, const std::string& where) {
  const auto bytes_each = static_cast<std::int64_t>(header.type->size + sizeof(double));
  return require_size({where, "values", header.shape, bytes_each},
                      input_limit(static_cast<double>(file_bytes)), input_hint());
}

Array parse_npy(Bytes bytes, std::size_t file_bytes, const std::string& where) {
  Header header = parse_header(bytes, where);
  const auto count = static_cast<std::size_t>(require_values(header, file_bytes, where));
  const Bytes data = bytes.subspan(header.start);
  if (data.size() / header.type->size < count)
    throw Error(where,
                "it ends after " + std::to_string(data.size() / header.type->size) + " of " +
                    std::to_string(count) + " values",
                "the file is incomplete: copy it again");
  Array array;
  array.shape = std::move(header.shape);
  array.type = header.type->name;
  array.values.resize(count);
  header.type->widen(data, array.values);
  return array;
}

std::string plain_name(const std::string& member) {
  return member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member;
}

std::string named_file(const std::filesystem::path& path) {
  return "file '" + path.string() + "'";
}

/// The members of an archive; no two are the same array.
std::vector<ZipMember> arrays_of(Bytes bytes, const std::string& where) {
  std::vector<ZipMember> members = zip_members(bytes, where);
  std::vector<std::string> names;
  for (const ZipMember& member : members)
    names.push_back(plain_name(member.name));
  std::ranges::sort(names);
  const auto same = std::ranges::adjacent_find(names);
  if (same != names.end()) refuse(where, "it has the array '" + *same + "' twice");
  return members;
}

/// Of a member, of which nothing behind its header is unpacked.
Header header_of(Bytes bytes, const ZipMember& member, const std::string& where) {
  const std::string array = where + ", array '" + plain_name(member.name) + "'";
  const std::size_t start = values_begin(zip_start(bytes, member, longest_preamble, where), array);
  return parse_header(zip_start(bytes, member, start, where), array);
}

} // namespace

Array read_npy(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  return parse_npy(bytes, bytes.size(), named_file(path));
}

std::vector<ArrayInfo> npz_arrays(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  std::vector<ArrayInfo> arrays;
  for (const ZipMember& member : arrays_of(bytes, named_file(path))) {
    ArrayInfo array{plain_name(member.name), {}};
    try {
      array.shape = header_of(bytes, member, named_file(path)).shape;
    } catch (const Error&) {
      array.shape.reset(); // read_npz() says what is wrong with it
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

Array read_npz(const std::filesystem::path& path, const std::string& name) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  std::string known;
  for (const ZipMember& member : arrays_of(bytes, named_file(path))) {
    if (plain_name(member.name) == name) {
      const std::string where = named_file(path) + ", array '" + name + "'";
      (void)require_values(header_of(bytes, member, named_file(path)), bytes.size(), where);
      return parse_npy(zip_extract(bytes, member, named_file(path)), bytes.size(), where);
    }
    known += (known.empty() ? "" : ", ") + plain_name(member.name);
  }
  throw Error(named_file(path), "it has no array '" + name + "'", "choose one of: " + known);
}

} // namespace heddle::geometry
