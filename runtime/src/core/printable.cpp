// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/printable.hpp"

#include <cstddef>
#include <cstdint>

namespace heddle {
namespace {

/// The bytes of the printable character at the beginning of a text; 0 where there is none.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 && first < 0xF8 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (length == 0 || first >= 0xF8 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t shortest[]{0, 0, 0xA0, 0x800, 0x10000}; // below 0xA0: control characters
  const bool half_of_a_pair = code >= 0xD800 && code < 0xE000;
  const bool no_character = (code & 0xFFFEU) == 0xFFFE || code > 0x10FFFF;
  return code < shortest[length] || half_of_a_pair || no_character ? 0 : length;
}

} // namespace

std::string printable(std::string_view text) {
  constexpr const char* digits = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(text.front());
      result += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string in_quotes(std::string_view name) {
  std::string result = "\"";
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20) continue;
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

} // namespace heddle
