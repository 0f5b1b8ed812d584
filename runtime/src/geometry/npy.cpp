// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/npy.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include "bytes.hpp"
#include "heddle/core/error.hpp"
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

std::int64_t product(const std::vector<std::int64_t>& shape, const std::string& where) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent != 0 && count > std::numeric_limits<std::int64_t>::max() / 64 / extent)
      refuse(where, "its shape is too large");
    count *= extent;
  }
  return count;
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

Array parse_npy(Bytes bytes, const std::string& where) {
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
  if (start + length > bytes.size()) refuse(where, "its npy header is incomplete");
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + start, length);

  Array array;
  array.shape = parse_shape(entry(header, "shape", where), where);
  const std::int64_t count = product(array.shape, where);
  if (!entry(header, "fortran_order", where).starts_with("False") && array.shape.size() > 1)
    throw Error(where, "the array is in Fortran order", "save numpy.ascontiguousarray(a)");
  std::string_view code = entry(header, "descr", where);
  const std::size_t quote = code.empty() || code.front() != '\'' ? code.npos : code.find('\'', 1);
  code = quote == code.npos ? std::string_view{} : code.substr(1, quote - 1);
  const ElementType* type = nullptr;
  for (const ElementType& candidate : element_types)
    if (candidate.code == code) type = &candidate;
  if (type == nullptr)
    throw Error(where, "element type '" + std::string(code) + "' is not supported",
                "convert to int16, int32, float32 or float64, little endian, before saving");
  const Bytes data = bytes.subspan(start + length);
  if (data.size() < static_cast<std::size_t>(count) * type->size)
    throw Error(where,
                "it ends after " + std::to_string(data.size() / type->size) + " of " + std::to_string(count) +
                    " values",
                "the file is incomplete: copy it again");
  array.type = type->name;
  array.values.resize(static_cast<std::size_t>(count));
  type->widen(data, array.values);
  return array;
}

std::string plain_name(const std::string& member) {
  return member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member;
}

std::string place(const std::filesystem::path& path) {
  return "file '" + path.string() + "'";
}

} // namespace

Array read_npy(const std::filesystem::path& path) {
  return parse_npy(read_file(path), place(path));
}

std::vector<std::string> npz_names(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  std::vector<std::string> names;
  for (const ZipMember& member : zip_members(bytes, place(path)))
    names.push_back(plain_name(member.name));
  return names;
}

Array read_npz(const std::filesystem::path& path, const std::string& name) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  std::string known;
  for (const ZipMember& member : zip_members(bytes, place(path))) {
    if (plain_name(member.name) == name)
      return parse_npy(zip_extract(bytes, member, place(path)), place(path) + ", array '" + name + "'");
    known += (known.empty() ? "" : ", ") + plain_name(member.name);
  }
  throw Error(place(path), "it has no array '" + name + "'", "choose one of: " + known);
}

} // namespace heddle::geometry
