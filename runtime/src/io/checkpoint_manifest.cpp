// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_manifest.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/hash.hpp"
#include "heddle/core/size.hpp"

namespace heddle {

namespace {

constexpr const char* first_words = "heddle checkpoint ";
constexpr const char* digits = "0123456789abcdef";

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4U)
    text[i] = digits[value & 15U];
  return text;
}

/// One word, whatever is in it.
std::string word(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c > ' ' && c <= '~' && c != '%') {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return result;
}

/// The value of two hexadecimal digits.
bool hex_byte(std::string_view pair, unsigned& byte) {
  const auto [end, status] = std::from_chars(pair.data(), pair.data() + pair.size(), byte, 16);
  return pair.size() == 2 && status == std::errc{} && end == pair.data() + 2;
}

std::uint64_t checksum(const std::string& text) {
  Hash hash;
  hash.add(reinterpret_cast<const std::byte*>(text.data()), text.size());
  return hash.value();
}

/// Reads the words of one line.
class Line {
public:
  Line(const std::string& line, const std::string& place) : in_(line), line_(line), place_(place) {}

  std::string text() {
    std::string result;
    if (!(in_ >> result)) fail();
    return result;
  }
  template <class T> T number(int base = 10) {
    const std::string digits_read = text();
    T value{};
    const auto [end, status] =
        std::from_chars(digits_read.data(), digits_read.data() + digits_read.size(), value, base);
    if (status != std::errc{} || end != digits_read.data() + digits_read.size()) fail();
    return value;
  }
  std::string unescaped() {
    const std::string read = text();
    std::string result;
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (read[i] != '%') {
        result += read[i];
        continue;
      }
      unsigned byte = 0;
      const std::string_view pair = std::string_view(read).substr(i + 1, 2);
      if (!hex_byte(pair, byte)) fail();
      result += static_cast<char>(byte);
      i += 2;
    }
    return result;
  }
  /// Nothing may stand behind what was read.
  void end() {
    std::string more;
    if (in_ >> more) fail();
  }
  [[noreturn]] void fail() const { throw Error(place_, "the line '" + line_ + "' is damaged"); }

private:
  std::istringstream in_;
  const std::string& line_;
  const std::string& place_;
};

/// Whether a block's box can be counted, has these cells, and its values lie within their part.
bool fits(const CheckpointManifest::Block& block, const CheckpointManifest::Field& field,
          std::uint64_t part_bytes) {
  std::array<std::int64_t, 3> extent{};
  for (std::size_t d = 0; d < 3; ++d)
    extent[d] = checked_difference(block.box.lower[d], block.box.upper[d]).value_or(-1);
  const std::optional<std::int64_t> volume = checked_product(extent); // nothing for a negative extent
  if (!volume || block.cells < 0 || (field.listed ? block.cells > *volume : block.cells != *volume))
    return false;
  const auto value = static_cast<std::int64_t>(value_bytes(field.type));
  // No value takes more than 8 bytes, and 16 times the cells leave room for what pads a component.
  const std::optional<std::int64_t> most =
      checked_product(std::array<std::int64_t, 3>{block.cells + 1, std::int64_t{field.components}, 16});
  if (!most || *volume > std::numeric_limits<std::int64_t>::max() / 2) return false;
  const std::uint64_t bytes =
      (field.listed ? padded(mask_bytes(block.box)) : 0) +
      static_cast<std::uint64_t>(field.components) * padded(static_cast<std::uint64_t>(block.cells * value));
  return bytes <= part_bytes && block.place <= part_bytes - bytes;
}

} // namespace

std::uint64_t value_bytes(const std::string& type) {
  if (type.empty() || std::string_view("fiu").find(type.front()) == std::string_view::npos) return 0;
  for (const std::uint64_t bytes : {1U, 2U, 4U, 8U}) {
    if (type.size() > 1 && type.substr(1) == std::to_string(8 * bytes)) return bytes;
  }
  return 0;
}

std::string CheckpointManifest::text() const {
  std::ostringstream out;
  out << first_words << version << "\nname " << word(name) << "\nstep " << step << '\n';
  for (const Number& number : numbers) {
    out << "number " << word(number.name) << ' ' << number.type << ' ';
    for (const std::byte byte : number.bytes)
      out << digits[static_cast<unsigned>(byte) >> 4U] << digits[static_cast<unsigned>(byte) & 15U];
    out << '\n';
  }
  for (const Field& field : fields) {
    out << "field " << word(field.name) << ' ' << field.type << ' ' << field.components << ' '
        << (field.listed ? "listed" : "dense") << '\n';
  }
  for (const Part& part : parts)
    out << "part " << word(part.file) << ' ' << part.bytes << '\n';
  for (const Block& block : blocks) {
    out << "block " << block.part << ' ' << block.field;
    for (const auto& corner : {block.box.lower, block.box.upper}) {
      for (const std::int64_t c : corner)
        out << ' ' << c;
    }
    out << ' ' << block.cells << ' ' << block.place;
    for (const std::uint64_t sum : block.checksums)
      out << ' ' << hex(sum);
    out << '\n';
  }
  return out.str() + "end " + hex(checksum(out.str())) + "\n";
}

CheckpointManifest CheckpointManifest::parse(const std::string& text, const std::string& place) {
  // The version first: what another one looks like beyond its first line is not known here.
  const std::string start = text.substr(0, text.find('\n'));
  if (!start.starts_with(first_words))
    throw Error(place, "the manifest of the checkpoint is damaged, or this is another file");
  const std::string found = start.substr(std::string(first_words).size());
  if (found != std::to_string(version)) {
    throw Error(place,
                "it was written in version " + found + " of the format, but this program reads version " +
                    std::to_string(version),
                "read it with the release of Heddle that wrote it");
  }
  const std::size_t end = text.rfind("end ");
  if (end == std::string::npos || text.substr(end) != "end " + hex(checksum(text.substr(0, end))) + "\n")
    throw Error(place, "the manifest was truncated or changed");

  CheckpointManifest manifest;
  std::istringstream lines(text.substr(0, end));
  std::string content;
  std::getline(lines, content); // the version
  bool has_name = false;
  bool has_step = false;
  const auto known = [](const auto& all, auto member, const std::string& wanted) {
    return std::ranges::find(all, wanted, member) != all.end();
  };
  while (std::getline(lines, content)) {
    Line line(content, place);
    const std::string kind = line.text();
    if (kind == "name") {
      if (std::exchange(has_name, true)) line.fail();
      manifest.name = line.unescaped();
    } else if (kind == "step") {
      if (std::exchange(has_step, true)) line.fail();
      manifest.step = line.number<std::int64_t>();
    } else if (kind == "number") {
      Number number{line.unescaped(), line.text(), {}};
      const std::string bytes = line.text();
      for (std::size_t i = 0; i < bytes.size(); i += 2) {
        unsigned byte = 0;
        if (!hex_byte(std::string_view(bytes).substr(i, 2), byte)) line.fail();
        number.bytes.push_back(static_cast<std::byte>(byte));
      }
      if (number.bytes.empty() || number.bytes.size() != value_bytes(number.type) ||
          known(manifest.numbers, &Number::name, number.name))
        line.fail();
      manifest.numbers.push_back(std::move(number));
    } else if (kind == "field") {
      Field field{line.unescaped(), line.text(), line.number<int>(), false};
      const std::string cells = line.text();
      field.listed = cells == "listed";
      if (value_bytes(field.type) == 0 || field.components < 1 || (!field.listed && cells != "dense") ||
          known(manifest.fields, &Field::name, field.name))
        line.fail();
      manifest.fields.push_back(std::move(field));
    } else if (kind == "part") {
      std::string file = line.unescaped();
      if (known(manifest.parts, &Part::file, file)) line.fail();
      manifest.parts.push_back({std::move(file), line.number<std::uint64_t>()});
    } else if (kind == "block") {
      Block block;
      block.part = line.number<std::size_t>();
      block.field = line.number<std::size_t>();
      for (auto* corner : {&block.box.lower, &block.box.upper}) {
        for (std::int64_t& c : *corner)
          c = line.number<std::int64_t>();
      }
      block.cells = line.number<std::int64_t>();
      block.place = line.number<std::uint64_t>();
      if (block.part >= manifest.parts.size() || block.field >= manifest.fields.size()) line.fail();
      const Field& field = manifest.fields[block.field];
      if (!fits(block, field, manifest.parts[block.part].bytes)) line.fail();
      const std::size_t sums = static_cast<std::size_t>(field.components) + (field.listed ? 1 : 0);
      for (std::size_t i = 0; i < sums; ++i)
        block.checksums.push_back(line.number<std::uint64_t>(16));
      manifest.blocks.push_back(std::move(block));
    } else {
      line.fail();
    }
    line.end();
  }
  return manifest;
}

} // namespace heddle
