// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/counter_random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>

namespace heddle {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The known answers that the authors publish with their implementation, for zeros, ones and digits of pi.
TEST(CounterRandom, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterRandom, NumbersAreEvenlyDistributed) {
  double sum = 0;
  double squares = 0;
  double beside = 0;
  std::set<double> seen;
  constexpr int n = 40;
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) {
      for (int z = 0; z < n; ++z) {
        const double value = random_number(7, 0, x, y, z);
        EXPECT_GE(value, -1.0);
        EXPECT_LT(value, 1.0);
        sum += value;
        squares += value * value;
        beside += value * random_number(7, 0, x + 1, y, z);
        seen.insert(value);
      }
    }
  }
  const double count = n * n * n;
  EXPECT_LT(std::abs(sum / count), 4 / std::sqrt(3 * count));
  EXPECT_LT(std::abs(squares / count - 1.0 / 3), 4 * std::sqrt(4.0 / 45 / count));
  EXPECT_LT(std::abs(beside / count), 4.0 / 3 / std::sqrt(count));
  EXPECT_GT(seen.size(), 63990U);
}

TEST(CounterRandom, SeedsStreamsAndAxesDiffer) {
  const double value = random_number(7, 0, 1, 2, 3);
  EXPECT_EQ(value, random_number(7, 0, 1, 2, 3));
  EXPECT_NE(value, random_number(8, 0, 1, 2, 3));
  EXPECT_NE(value, random_number(7 + (std::uint64_t{1} << 32U), 0, 1, 2, 3));
  EXPECT_NE(value, random_number(7, 1, 1, 2, 3));
  EXPECT_NE(value, random_number(7, 0, 2, 1, 3));
  EXPECT_NE(value, random_number(7, 0, -1, 2, 3));
}

} // namespace
} // namespace heddle
