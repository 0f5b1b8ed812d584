// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_NUMBER_TEXT_HPP
#define HEDDLE_NUMBER_TEXT_HPP

#include <array>
#include <charconv>
#include <string>

namespace heddle {

/// The shortest text that reads back as the same number.
[[nodiscard]] inline std::string number_text(double value) {
  std::array<char, 40> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

} // namespace heddle

#endif
