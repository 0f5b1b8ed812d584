// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/colour_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace heddle::plot {
namespace {

class Maps : public testing::TestWithParam<const ColourMap& (*)()> {};

TEST_P(Maps, LightnessRisesEvenly) {
  const ColourMap& map = GetParam()();
  const double first = lightness(map(0));
  const double last = lightness(map(1));
  EXPECT_GT(last, first + 0.35);
  for (int n = 0; n <= 100; ++n)
    EXPECT_NEAR(lightness(map(n / 100.0)), first + (last - first) * n / 100, 0.004) << n;
}

TEST_P(Maps, ColoursAreInRangeAndNeighboursAreClose) {
  const ColourMap& map = GetParam()();
  for (int n = 0; n < 500; ++n) {
    const Colour a = map(n / 500.0);
    const Colour b = map((n + 1) / 500.0);
    for (const double value : {a.red, a.green, a.blue}) {
      EXPECT_GE(value, 0);
      EXPECT_LE(value, 1);
    }
    EXPECT_LT(std::hypot(a.red - b.red, a.green - b.green, a.blue - b.blue), 0.05);
  }
  EXPECT_EQ(map(-3).red, map(0).red);
  EXPECT_EQ(map(7).green, map(1).green);
}

std::string map_name(const testing::TestParamInfo<const ColourMap& (*)()>& info) {
  return std::vector<std::string>{"wind", "ember", "terrain"}[info.index];
}

INSTANTIATE_TEST_SUITE_P(All, Maps, testing::Values(&ColourMap::wind, &ColourMap::ember, &ColourMap::terrain),
                         map_name);

TEST(Colour, LightnessOfWhiteGreyAndBlack) {
  EXPECT_NEAR(lightness({1, 1, 1}), 1, 1e-6);
  EXPECT_NEAR(lightness({0, 0, 0}), 0, 1e-6);
  EXPECT_NEAR(lightness({0.5, 0.5, 0.5}), 0.598, 0.001); // the OKLab lightness of sRGB 50 % grey
}

} // namespace
} // namespace heddle::plot
