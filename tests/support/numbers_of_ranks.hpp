// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_NUMBERS_OF_RANKS_HPP
#define HEDDLE_TESTS_NUMBERS_OF_RANKS_HPP

#include <algorithm>
#include <array>
#include <vector>

#include "full_speed.hpp"

namespace test {

/// Of these numbers of ranks, what sanitizers, which take minutes for all of them, leave: one and all of 27
/// blocks, those that divide the blocks and those that do not. The bits of the others are compared without.
inline std::vector<int> numbers_of_ranks(std::vector<int> all) {
  constexpr std::array few{1, 3, 5, 6, 8, 27};
  if (!full_speed) std::erase_if(all, [&](int ranks) { return std::ranges::find(few, ranks) == few.end(); });
  return all;
}

/// From 1 to 27, of 27 blocks or fewer.
inline std::vector<int> numbers_of_ranks() {
  std::vector<int> all;
  for (int ranks = 1; ranks <= 27; ++ranks)
    all.push_back(ranks);
  return numbers_of_ranks(all);
}

} // namespace test

#endif
