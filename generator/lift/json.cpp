// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace heddle::lift {

namespace {

/// Bytes of the UTF-8 sequence that `text` begins with; 0 if it begins with none.
std::size_t sequence_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return 0;
  }
  if (length < 3) return length;
  // Overlong forms, surrogates, beyond U+10FFFF.
  const auto second = static_cast<unsigned char>(text[1]);
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return wrong ? 0 : length;
}

} // namespace

std::string quoted(std::string_view text) {
  static constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      result += "\\ufffd";
    } else if (length == 1 && (byte < 0x20 || byte == 0x7F)) {
      result += "\\u00";
      result += hexadecimal[byte / 16U];
      result += hexadecimal[byte % 16U];
    } else {
      if (byte == '"' || byte == '\\') result += '\\';
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

Number number(bool value) {
  return {{value ? "true" : "false"}};
}
Number number(std::int64_t value) {
  return {{std::to_string(value)}};
}
Number number(std::uint64_t value) {
  return {{std::to_string(value)}};
}

Number number(double value) {
  if (std::isnan(value)) return {{R"({"float":"nan"})"}};
  if (std::isinf(value)) return {{value < 0 ? R"({"float":"-inf"})" : R"({"float":"inf"})"}};
  std::array<char, 64> text{};
  const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), value);
  std::string result(text.data(), end.ptr);
  if (result.find_first_of(".e") == std::string::npos) result += ".0"; // an integer is another number
  return {{result}};
}

Object::Object(std::string_view node) : text_(R"({"node":)" + quoted(node)) {}

Object&& Object::part(std::string_view name, const Node& value) && {
  key(name);
  text_ += value.json;
  return std::move(*this);
}

Object&& Object::part(std::string_view name, const Type& value) && {
  key(name);
  text_ += value.json.empty() ? "null" : value.json;
  return std::move(*this);
}

Object&& Object::part(std::string_view name, std::string_view value) && {
  return std::move(*this).part(name, Node{quoted(value)});
}

Object&& Object::part(std::string_view name, bool value) && {
  return std::move(*this).part(name, Node{value ? "true" : "false"});
}

Object&& Object::part(std::string_view name, std::int64_t value) && {
  return std::move(*this).part(name, Node{std::to_string(value)});
}

Object&& Object::part(std::string_view name, const Place& value) && {
  return std::move(*this).part(
      name, Node{R"({"place":[)" + quoted(value.file) + ',' + std::to_string(value.line) + "]}"});
}

Object&& Object::part(std::string_view name, const std::optional<Expression>& value) && {
  return std::move(*this).part(name, Node{value ? value->json : "null"});
}

Object&& Object::part(std::string_view name, const std::vector<std::int64_t>& values) && {
  std::vector<Node> nodes;
  for (const std::int64_t value : values)
    nodes.push_back({std::to_string(value)});
  return std::move(*this).part(name, nodes);
}

Object&& Object::part(std::string_view name,
                      const std::vector<std::pair<std::string, Expression>>& values) && {
  std::vector<Node> nodes;
  for (const auto& [entry, value] : values)
    nodes.push_back({'[' + quoted(entry) + ',' + value.json + ']'});
  return std::move(*this).part(name, nodes);
}

void Object::key(std::string_view name) {
  text_ += ',';
  text_ += quoted(name);
  text_ += ':';
}

void Object::separate() {
  if (text_.back() != '[') text_ += ',';
}

} // namespace heddle::lift
