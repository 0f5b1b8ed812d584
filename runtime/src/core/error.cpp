// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/error.hpp"

#include <utility>

namespace heddle {

namespace {

std::string message(const std::string& where, const std::string& reason, const std::string& hint) {
  std::string text = where + ": " + reason;
  if (!hint.empty()) text += ". Hint: " + hint;
  return text;
}

} // namespace

Error::Error(std::string where, std::string reason, std::string hint)
    : std::runtime_error(message(where, reason, hint)), where_(std::move(where)), reason_(std::move(reason)),
      hint_(std::move(hint)) {}

} // namespace heddle
