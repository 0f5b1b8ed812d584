// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_PLACE_HPP
#define HEDDLE_EMULATION_PLACE_HPP

#include "text.hpp"

#include <cstring>
#include <string>

namespace heddle::emulation {

/// A place in the source text: what a report names, and what tells two barriers apart.
struct Place {
  const char* file = "";
  const char* function = "";
  int line = 0;

  friend bool operator==(const Place& a, const Place& b) {
    return a.line == b.line && std::strcmp(a.file, b.file) == 0;
  }
};

/// The place of the caller, when used as a default argument. (clang 14 has no std::source_location.)
constexpr Place here(const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
                     int line = __builtin_LINE()) {
  return {file, function, line};
}

inline std::string to_string(const Place& place) {
  return join(place.file, ":", place.line, " (in ", place.function, ")");
}

} // namespace heddle::emulation

#endif
