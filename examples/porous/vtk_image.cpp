// SPDX-License-Identifier: Apache-2.0
#include "vtk_image.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/core/size.hpp"

namespace porous {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what,
                         const std::string& hint) {
  throw heddle::Error("file '" + path.string() + "'", what, hint);
}

namespace {

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "it cannot be read", "does it exist?");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The number of voxels of an image that the file's header promises; `file_bytes` are what it has.
std::int64_t count(const std::filesystem::path& path, const std::array<std::int64_t, 3>& extent,
                   std::size_t file_bytes) {
  constexpr std::int64_t longest = 100'000;
  for (const std::int64_t n : extent)
    if (n < 1 || n > longest)
      refuse(path, "an axis of " + std::to_string(n) + " voxels is none of an image",
             "1 to " + std::to_string(longest) + "; is its header damaged?");
  return heddle::require_size(
      {"file '" + path.string() + "'", "voxels", {extent[0], extent[1], extent[2]}, sizeof(double)},
      heddle::input_limit(static_cast<double>(file_bytes)), heddle::input_hint());
}

template <class T> T stored(const char* at, bool swap) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), at, sizeof(T));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

template <class T> double element(const char* at, bool swap) {
  return static_cast<double>(stored<T>(at, swap));
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

/// Throws where the bytes are fewer than those of the values; their number is a product.
void require_values(const std::filesystem::path& path, std::string_view bytes, const ElementType& type,
                    const std::array<std::int64_t, 2>& factors) {
  const std::optional<std::int64_t> values = heddle::checked_product(factors);
  const std::size_t there = bytes.size() / type.bytes;
  if (values && static_cast<std::uint64_t>(*values) <= there) return;
  refuse(path,
         "it ends after " + std::to_string(there) + " of " +
             (values ? std::to_string(*values) : "more than 9e18") + " values",
         "the file is incomplete: copy it again");
}

/// Values written as they lie in memory.
std::vector<double> values_at(const std::filesystem::path& path, std::string_view bytes,
                              const ElementType& type, std::int64_t wanted, bool swap) {
  require_values(path, bytes, type, {1, wanted});
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

/// A DataArray of a .vti: its tag, and the text from there to the end of the values of cells or points.
struct XmlArray {
  std::string_view tag;
  std::string_view rest;
};

/// Its values: as text in the element, or as raw bytes behind the `_` of AppendedData, each array after its
/// own number of bytes.
std::vector<double> values_of(const std::filesystem::path& path, std::string_view text, const XmlArray& array,
                              std::int64_t wanted) {
  std::size_t from = 0;
  const std::string_view file = tag_of(text, "VTKFile", from);
  const ElementType& type = type_of(path, attribute(array.tag, "type").value_or(""));
  const std::string format = attribute(array.tag, "format").value_or("");
  if (format == "ascii") return numbers(path, array.rest, wanted);
  const std::size_t appended = text.find("<AppendedData");
  const std::size_t mark = appended == text.npos ? appended : text.find('_', appended);
  if (format != "appended" || mark == text.npos ||
      text.substr(appended, mark - appended).find("raw") == text.npos)
    refuse(path,
           "the array '" + attribute(array.tag, "Name").value_or("") +
               "' is written in a way that is not known",
           "write it as ASCII or as raw appended data: SetDataModeToAppended(), EncodeAppendedDataOff()");
  const std::string written = attribute(array.tag, "offset").value_or("");
  std::size_t offset = 0;
  const auto [end, status] = std::from_chars(written.data(), written.data() + written.size(), offset);
  const bool wide = attribute(file, "header_type") == "UInt64";
  const std::size_t header = wide ? 8 : 4;
  const std::string_view data = text.substr(mark + 1);
  if (status != std::errc{} || end != written.data() + written.size() || offset > data.size() ||
      data.size() - offset < header)
    refuse(path, "its array begins at byte '" + written + "' of the appended data, which is none of them",
           "the file is damaged or incomplete: copy it again");
  const bool swap = attribute(file, "byte_order") == "BigEndian";
  const char* const at = data.data() + offset;
  const std::uint64_t bytes = wide ? stored<std::uint64_t>(at, swap) : stored<std::uint32_t>(at, swap);
  if (bytes % type.bytes != 0 || bytes / type.bytes != static_cast<std::uint64_t>(wanted))
    refuse(path,
           "its array has " + std::to_string(bytes) + " bytes, and its extent " + std::to_string(wanted) +
               " voxels of " + std::to_string(type.bytes),
           "the file is damaged");
  return values_at(path, data.substr(offset + header), type, wanted, swap);
}

std::string extent_of(std::string_view piece) {
  return attribute(piece, "Extent").value_or("");
}

[[noreturn]] void refuse_extent(const std::filesystem::path& path, std::string_view piece) {
  refuse(path, "its piece has the extent '" + extent_of(piece).substr(0, 80) + "'", "the file is damaged");
}

/// The number of components behind the type on a line SCALARS; 1 if it says nothing.
std::int64_t components_of(const std::filesystem::path& path, const std::string& name,
                           const std::string& line) {
  std::string word;
  if (!(std::istringstream(line) >> word)) return 1;
  const std::optional<std::int64_t> components = heddle::number_of<std::int64_t>(word);
  if (!components || *components < 1)
    refuse(path, "SCALARS '" + name + "' has '" + word.substr(0, 40) + "' components", "the file is damaged");
  return *components;
}

} // namespace

void require_one(const std::filesystem::path& path, const std::vector<std::string>& fitting) {
  if (fitting.size() < 2) return;
  std::string names;
  for (const std::string& name : fitting)
    names += (names.empty() ? "" : ", ") + name;
  refuse(path, "several arrays fit: " + names, "say which one: --array NAME");
}

Image read_vti(const std::filesystem::path& path, const std::string& array) {
  const std::string text = read_all(path);
  std::size_t at = 0;
  const std::string_view file = tag_of(text, "VTKFile", at);
  if (file.empty() || attribute(file, "type") != "ImageData")
    refuse(path, "it is no image data of VTK", "write vtkImageData with vtkXMLImageDataWriter");
  if (attribute(file, "compressor"))
    refuse(path, "its values are compressed", "write it without a compressor: SetCompressorTypeToNone()");

  const std::string_view piece = tag_of(text, "Piece", at);
  std::istringstream extent(extent_of(piece));
  std::array<std::int64_t, 6> ends{};
  for (std::int64_t& end : ends)
    extent >> end;
  if (!extent) refuse_extent(path, piece);

  const std::size_t cells = text.find("<CellData", at);
  const std::size_t cells_end = text.find("</CellData", at);
  const bool of_cells =
      cells != text.npos && text.substr(cells, cells_end - cells).find("<DataArray") != text.npos;
  const std::size_t begin = of_cells ? cells : text.find("<PointData", at);
  const std::size_t end = of_cells ? cells_end : text.find("</PointData", at);
  if (begin == text.npos || end == text.npos) refuse(path, "it has no values of cells or points", "");
  Image image;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto cells_along = heddle::checked_difference(ends[2 * d], ends[2 * d + 1]);
    if (!cells_along || *cells_along == std::numeric_limits<std::int64_t>::max()) refuse_extent(path, piece);
    image.extent[d] = *cells_along + (of_cells ? 0 : 1);
  }

  const std::string_view values = std::string_view(text).substr(0, end);
  std::string known;
  std::vector<std::string> fitting;
  XmlArray found;
  for (std::size_t from = begin; from < end;) {
    const std::string_view tag = tag_of(values, "DataArray", from);
    if (tag.empty()) break;
    const std::string name = attribute(tag, "Name").value_or("");
    known += (known.empty() ? "" : ", ") + name;
    const std::string components = attribute(tag, "NumberOfComponents").value_or("1");
    if ((!array.empty() && name != array) || components != "1") continue;
    if (fitting.empty()) found = {tag, values.substr(from)};
    fitting.push_back(name);
  }
  if (fitting.empty())
    refuse(path,
           array.empty() ? "it has no array with one component"
                         : "it has no array '" + array + "' with one component",
           "it has: " + known);
  require_one(path, fitting);
  image.values = values_of(path, text, found, count(path, image.extent, text.size()));
  return image;
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
  if (!binary && word != "ASCII")
    refuse(path, "its values are written as '" + word + "'", "its third line is ASCII or BINARY");
  Image image;
  std::array<std::int64_t, 3> points{};
  std::int64_t promised = 0; // values an array, by CELL_DATA or POINT_DATA
  bool of_cells = false;
  std::string known;
  std::vector<std::string> fitting;
  bool has_dimensions = false;
  while (in >> word) {
    if (word == "DATASET") {
      in >> word;
      if (word != "STRUCTURED_POINTS")
        refuse(path, "its data set is " + word, "write it as STRUCTURED_POINTS, which images are");
    } else if (word == "DIMENSIONS") {
      if (std::exchange(has_dimensions, true))
        refuse(path, "DIMENSIONS stands there twice", "the file is damaged");
      if (!(in >> points[0] >> points[1] >> points[2]))
        refuse(path, "its DIMENSIONS are not three numbers", "the file is damaged");
    } else if (word == "CELL_DATA" || word == "POINT_DATA") {
      of_cells = word == "CELL_DATA";
      in >> promised;
    } else if (word == "SCALARS") {
      std::string name;
      std::string type_name;
      std::string line;
      in >> name >> type_name;
      std::getline(in, line);
      const std::int64_t components = components_of(path, name, line);
      std::getline(in, line);
      if (!line.starts_with("LOOKUP_TABLE"))
        refuse(path, "no LOOKUP_TABLE follows SCALARS", "the file is damaged");
      known += (known.empty() ? "" : ", ") + name;
      std::array<std::int64_t, 3> extent = points;
      for (std::int64_t& n : extent)
        n = heddle::checked_difference(of_cells ? 1 : 0, n).value_or(n);
      const std::int64_t wanted = count(path, extent, text.size());
      if (promised != wanted)
        refuse(path,
               "it has " + std::to_string(promised) + " values, and its DIMENSIONS ask for " +
                   std::to_string(wanted),
               "the file is damaged");
      const ElementType& type = type_of(path, type_name);
      const std::size_t begin = in.eof() ? text.size() : static_cast<std::size_t>(in.tellg());
      const std::string_view rest = std::string_view(text).substr(begin);
      if (binary) require_values(path, rest, type, {components, wanted});
      if ((array.empty() || name == array) && components == 1) {
        if (fitting.empty()) {
          image.extent = extent;
          image.values = binary
                             ? values_at(path, rest, type, wanted, std::endian::native == std::endian::little)
                             : numbers(path, rest, wanted);
        }
        fitting.push_back(name);
      }
      if (binary)
        in.seekg(static_cast<std::streamoff>(begin + type.bytes * static_cast<std::size_t>(components) *
                                                         static_cast<std::size_t>(wanted)));
    }
  }
  if (fitting.empty())
    refuse(path,
           array.empty() ? "it has no SCALARS of one component"
                         : "it has no SCALARS '" + array + "' of one component",
           known.empty() ? "the voxels are SCALARS of cells or points" : "it has: " + known);
  require_one(path, fitting);
  return image;
}

} // namespace porous
