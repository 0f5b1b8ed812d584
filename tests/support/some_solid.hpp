// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_SOME_SOLID_HPP
#define HEDDLE_TESTS_SOME_SOLID_HPP

#include <cstdint>
#include <vector>

#include "heddle/grid/box.hpp"
#include "noise.hpp"

namespace test {

/// One in so many cells of a box is solid, at places without pattern.
inline std::vector<std::uint8_t> some_solid(const heddle::Box& box, std::int64_t one_in) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(box.volume()));
  for (std::size_t i = 0; i < flags.size(); ++i)
    flags[i] = static_cast<std::int64_t>((noise(i) + 1) / 2 * static_cast<double>(one_in)) == 0 ? 0 : 1;
  return flags;
}

} // namespace test

#endif
