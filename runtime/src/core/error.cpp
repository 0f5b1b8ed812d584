// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/error.hpp"

#include <string_view>
#include <utility>

#include "heddle/core/printable.hpp"

namespace heddle {

namespace {

std::string message(const std::string& where, const std::string& reason, const std::string& hint) {
  std::string text = where + ": " + reason;
  if (!hint.empty()) text += ". Hint: " + hint;
  // Names of files come from outside, and the text goes to terminals; its own line breaks stay.
  std::string lines;
  for (std::string_view rest = text;;) {
    const std::size_t end = rest.find('\n');
    lines += printable(rest.substr(0, end));
    if (end == rest.npos) return lines;
    lines += '\n';
    rest.remove_prefix(end + 1);
  }
}

} // namespace

Error::Error(std::string where, std::string reason, std::string hint)
    : std::runtime_error(message(where, reason, hint)), where_(std::move(where)), reason_(std::move(reason)),
      hint_(std::move(hint)) {}

} // namespace heddle
