// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_NUMBER_TEXT_HPP
#define HEDDLE_CORE_NUMBER_TEXT_HPP

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace heddle {

/// The shortest text that reads back as the same number.
[[nodiscard]] inline std::string number_text(double value) {
  std::array<char, 40> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

/// The number that a text is, all of it; nothing where it is something else.
template <class T> [[nodiscard]] std::optional<T> number_of(std::string_view text) {
  T value{};
  const char* const last = text.data() + text.size();
  const auto [end, status] = std::from_chars(text.data(), last, value);
  if (status != std::errc{} || end != last) return std::nullopt;
  return value;
}

} // namespace heddle

#endif
