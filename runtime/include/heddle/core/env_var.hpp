// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_ENV_VAR_HPP
#define HEDDLE_CORE_ENV_VAR_HPP

#include <cstdlib>
#include <optional>
#include <string>

namespace heddle {

/// What an environment variable of the user's says (HEDDLE_RANKS, ...). An empty one counts as unset: scripts
/// have no other way to take a variable back in front of one command.
inline std::optional<std::string> env_var(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

} // namespace heddle

#endif
