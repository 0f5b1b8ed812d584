// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/ticks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "heddle/core/error.hpp"

namespace heddle::plot {
namespace {

using Labels = std::vector<std::string>;

TEST(Ticks, AreRoundAndInside) {
  EXPECT_EQ(round_ticks({0, 12}, 6).labels, (Labels{"0", "2", "4", "6", "8", "10", "12"}));
  EXPECT_EQ(round_ticks({-0.3, 0.3}, 4).labels, (Labels{"-0.2", "0.0", "0.2"}));
  EXPECT_EQ(round_ticks({0, 1}, 4).labels, (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(round_ticks({236, 1076}, 4).labels, (Labels{"400", "600", "800", "1000"}));
  EXPECT_EQ(round_ticks({0, 9}, 3).labels, (Labels{"0.0", "2.5", "5.0", "7.5"}));
}

TEST(Ticks, NeverMoreThanAQuarterTooMany) {
  for (double width = 1e-5; width < 1e6; width *= 1.37)
    for (int count = 2; count < 12; ++count) {
      const auto n = round_ticks({0.123 * width, 1.123 * width}, count).values.size();
      EXPECT_LE(n, static_cast<std::size_t>(count * 1.25) + 1);
      EXPECT_GE(n, static_cast<std::size_t>(count / 3));
    }
}

TEST(Ticks, RefuseAnEmptyRange) {
  EXPECT_THROW((void)round_ticks({1, 1}, 5), Error);
  EXPECT_THROW((void)round_ticks({0, std::nan("")}, 5), Error);
}

} // namespace
} // namespace heddle::plot
