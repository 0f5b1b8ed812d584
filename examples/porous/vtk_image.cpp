// SPDX-License-Identifier: Apache-2.0
#include "vtk_image.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "heddle/error.hpp"

namespace porous {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what,
                         const std::string& hint) {
  throw heddle::Error("file '" + path.string() + "'", what, hint);
}

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "it cannot be read", "does it exist?");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::int64_t count(const std::array<std::int64_t, 3>& extent) {
  return extent[0] * extent[1] * extent[2];
}

template <class T> double element(const char* at, bool swap) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), at, sizeof(T));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  return static_cast<double>(std::bit_cast<T>(bytes));
}

struct ElementType {
  std::string_view xml;    // the name in a .vti
  std::string_view legacy; // and in a .vtk
  std::size_t bytes;
  double (*read)(const char*, bool swap);
};

constexpr std::array<ElementType, 10> element_types{{{"Int8", "char", 1, element<std::int8_t>},
                                                     {"UInt8", "unsigned_char", 1, element<std::uint8_t>},
                                                     {"Int16", "short", 2, element<std::int16_t>},
                                                     {"UInt16", "unsigned_short", 2, element<std::uint16_t>},
                                                     {"Int32", "int", 4, element<std::int32_t>},
                                                     {"UInt32", "unsigned_int", 4, element<std::uint32_t>},
                                                     {"Int64", "vtktypeint64", 8, element<std::int64_t>},
                                                     {"UInt64", "vtktypeuint64", 8, element<std::uint64_t>},
                                                     {"Float32", "float", 4, element<float>},
                                                     {"Float64", "double", 8, element<double>}}};

const ElementType& type_of(const std::filesystem::path& path, std::string_view name) {
  for (const ElementType& type : element_types)
    if (type.xml == name || type.legacy == name) return type;
  refuse(path, "values of type '" + std::string(name) + "' are not known", "write them as unsigned char");
}

/// Values written as text.
std::vector<double> numbers(const std::filesystem::path& path, std::string_view text, std::int64_t wanted) {
  std::vector<double> values;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (static_cast<std::int64_t>(values.size()) < wanted) {
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
      ++at;
    double value = 0;
    const auto [next, status] = std::from_chars(at, end, value);
    if (status != std::errc{})
      refuse(path, "it has " + std::to_string(values.size()) + " of " + std::to_string(wanted) + " values",
             "the file is incomplete: copy it again");
    values.push_back(value);
    at = next;
  }
  return values;
}

/// Values written as they lie in memory.
std::vector<double> values_at(const std::filesystem::path& path, std::string_view bytes,
                              const ElementType& type, std::int64_t wanted, bool swap) {
  if (bytes.size() / type.bytes < static_cast<std::size_t>(wanted))
    refuse(path,
           "it ends after " + std::to_string(bytes.size() / type.bytes) + " of " + std::to_string(wanted) +
               " values",
           "the file is incomplete: copy it again");
  std::vector<double> values(static_cast<std::size_t>(wanted));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = type.read(bytes.data() + i * type.bytes, swap);
  return values;
}

/// The value of an attribute of an XML tag.
std::optional<std::string> attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = tag.find(name); at != tag.npos; at = tag.find(name, at + 1)) {
    const std::size_t quote = at + name.size() + 1;
    if (tag[at - 1] != ' ' || quote >= tag.size() || tag[quote - 1] != '=' || tag[quote] != '"') continue;
    const std::size_t end = tag.find('"', quote + 1);
    if (end != tag.npos) return std::string(tag.substr(quote + 1, end - quote - 1));
  }
  return std::nullopt;
}

/// The tag that begins with `<name`, from `from` on, without its end; empty if there is none.
std::string_view tag_of(std::string_view text, std::string_view name, std::size_t& from) {
  const std::size_t begin = text.find("<" + std::string(name), from);
  const std::size_t end = begin == text.npos ? begin : text.find('>', begin);
  if (end == text.npos) return {};
  from = end + 1;
  return text.substr(begin, end - begin);
}

} // namespace

Image read_vti(const std::filesystem::path& path, const std::string& array) {
  const std::string text = read_all(path);
  std::size_t at = 0;
  const std::string_view file = tag_of(text, "VTKFile", at);
  if (file.empty() || attribute(file, "type") != "ImageData")
    refuse(path, "it is no image data of VTK", "write vtkImageData with vtkXMLImageDataWriter");
  if (attribute(file, "compressor"))
    refuse(path, "its values are compressed", "write it without a compressor: SetCompressorTypeToNone()");
  const bool swap = attribute(file, "byte_order") == "BigEndian";
  const std::size_t size_bytes = attribute(file, "header_type") == "UInt64" ? 8 : 4;

  const std::string_view piece = tag_of(text, "Piece", at);
  std::istringstream extent(attribute(piece, "Extent").value_or(""));
  std::array<std::int64_t, 6> ends{};
  for (std::int64_t& end : ends)
    extent >> end;
  if (!extent) refuse(path, "its piece has no extent", "the file is damaged");

  const std::size_t cells = text.find("<CellData", at);
  const std::size_t cells_end = text.find("</CellData", at);
  const bool of_cells =
      cells != text.npos && text.substr(cells, cells_end - cells).find("<DataArray") != text.npos;
  const std::size_t begin = of_cells ? cells : text.find("<PointData", at);
  const std::size_t end = of_cells ? cells_end : text.find("</PointData", at);
  if (begin == text.npos || end == text.npos) refuse(path, "it has no values of cells or points", "");
  Image image;
  for (std::size_t d = 0; d < 3; ++d)
    image.extent[d] = ends[2 * d + 1] - ends[2 * d] + (of_cells ? 0 : 1);

  std::string known;
  for (std::size_t from = begin; from < end;) {
    const std::string_view tag = tag_of(std::string_view(text).substr(0, end), "DataArray", from);
    if (tag.empty()) break;
    const std::string name = attribute(tag, "Name").value_or("");
    known += (known.empty() ? "" : ", ") + name;
    const std::string components = attribute(tag, "NumberOfComponents").value_or("1");
    if ((!array.empty() && name != array) || components != "1") continue;
    const ElementType& type = type_of(path, attribute(tag, "type").value_or(""));
    const std::string format = attribute(tag, "format").value_or("");
    if (format == "ascii") {
      image.values = numbers(path, std::string_view(text).substr(from, end - from), count(image.extent));
      return image;
    }
    const std::size_t appended = text.find("<AppendedData");
    const std::size_t mark = appended == text.npos ? appended : text.find('_', appended);
    if (format != "appended" || mark == text.npos ||
        text.substr(appended, mark - appended).find("raw") == std::string::npos)
      refuse(path, "the array '" + name + "' is written in a way that is not known",
             "write it as ASCII or as raw appended data: SetDataModeToAppended(), EncodeAppendedDataOff()");
    const std::size_t data = mark + 1 + std::stoull(attribute(tag, "offset").value_or("0")) + size_bytes;
    image.values = values_at(path, std::string_view(text).substr(std::min(data, text.size())), type,
                             count(image.extent), swap);
    return image;
  }
  refuse(path, array.empty() ? "it has no array with one component" : "it has no array '" + array + "'",
         "it has: " + known);
}

Image read_vtk(const std::filesystem::path& path, const std::string& array) {
  const std::string text = read_all(path);
  if (!text.starts_with("# vtk DataFile"))
    refuse(path, "it is no VTK file", "its first line is '# vtk DataFile ...'");
  std::istringstream in(text);
  std::string word;
  std::getline(in, word); // version
  std::getline(in, word); // title
  in >> word;
  const bool binary = word == "BINARY";
  Image image;
  bool of_cells = false;
  std::string known;
  std::string kind;
  while (in >> word) {
    if (word == "DATASET") {
      in >> kind;
      if (kind != "STRUCTURED_POINTS")
        refuse(path, "its data set is " + kind, "write it as STRUCTURED_POINTS, which images are");
    } else if (word == "DIMENSIONS") {
      in >> image.extent[0] >> image.extent[1] >> image.extent[2];
    } else if (word == "CELL_DATA") {
      of_cells = true;
    } else if (word == "SCALARS") {
      std::string name;
      std::string type_name;
      std::string line;
      in >> name >> type_name;
      std::getline(in, line); // components, 1 if it is empty
      std::getline(in, line); // LOOKUP_TABLE
      if (!line.starts_with("LOOKUP_TABLE"))
        refuse(path, "no LOOKUP_TABLE follows SCALARS", "the file is damaged");
      known += (known.empty() ? "" : ", ") + name;
      std::array<std::int64_t, 3> extent = image.extent;
      for (std::int64_t& n : extent)
        n -= of_cells ? 1 : 0;
      const ElementType& type = type_of(path, type_name);
      const auto begin = static_cast<std::size_t>(in.tellg());
      const std::string_view rest = std::string_view(text).substr(begin);
      if (array.empty() || name == array) {
        image.extent = extent;
        image.values =
            binary ? values_at(path, rest, type, count(extent), std::endian::native == std::endian::little)
                   : numbers(path, rest, count(extent));
        return image;
      }
      if (binary)
        in.seekg(static_cast<std::streamoff>(begin + type.bytes * static_cast<std::size_t>(count(extent))));
    }
  }
  refuse(path, array.empty() ? "it has no SCALARS" : "it has no SCALARS '" + array + "'",
         known.empty() ? "the voxels are SCALARS of cells or points" : "it has: " + known);
}

} // namespace porous
