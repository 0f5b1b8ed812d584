// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_PROJECTION_ROUNDS_HPP
#define HEDDLE_SRC_PROJECTION_ROUNDS_HPP

#include <string>
#include <type_traits>

#include "heddle/core/error.hpp"

namespace heddle::detail {

/// How often a projection is repeated: `wanted`, or for 0 as often as velocities of type T with pressures of
/// type P need (each round of f32 leaves some 1e-6 of what was there). Throws Error for a negative number.
template <class T, class P> int rounds_of(const char* where, int wanted) {
  if (wanted < 0) throw Error(where, std::to_string(wanted) + " rounds are not valid", "use at least 1");
  if (wanted > 0) return wanted;
  return std::is_same_v<T, P> ? 1 : 3;
}

} // namespace heddle::detail

#endif
