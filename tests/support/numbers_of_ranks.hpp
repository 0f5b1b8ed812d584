// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_NUMBERS_OF_RANKS_HPP
#define HEDDLE_TESTS_NUMBERS_OF_RANKS_HPP

#include <vector>

namespace test {

/// From 1 to 27, of 27 blocks or fewer. With sanitizers, which take minutes for all of them, a quarter: one
/// and all, those that divide the blocks and those that do not. The bits of the others are compared without.
inline std::vector<int> numbers_of_ranks() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return {1, 2, 3, 8, 9, 13, 27};
#else
  std::vector<int> all;
  for (int ranks = 1; ranks <= 27; ++ranks)
    all.push_back(ranks);
  return all;
#endif
}

} // namespace test

#endif
