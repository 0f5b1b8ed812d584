// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/relief.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "planes.hpp"

namespace heddle::plot {
namespace {

using test::sampled;

TEST(Hillshade, FlatGroundHasTheSineOfTheAltitude) {
  const Plane light = hillshade(sampled(9, [](double, double) { return 3.0; }), {1, 0.5, 2, true});
  for (const double value : light.values)
    EXPECT_NEAR(value, std::sin(0.5), 1e-12);
}

TEST(Hillshade, APlaneFacingTheSunIsFullyLit) {
  // Sun in the west at 45 degrees; ground that rises to the east at 45 degrees faces it.
  const Sun sun{std::numbers::pi, std::numbers::pi / 4, 1, false};
  EXPECT_NEAR(hillshade(sampled(9, [](double x, double) { return x; }), sun).at(4, 4), 1, 1e-12);
  EXPECT_NEAR(hillshade(sampled(9, [](double x, double) { return -x; }), sun).at(4, 4), 0, 1e-12);
}

TEST(Hillshade, AWallThrowsAShadowOfItsLength) {
  // Wall of height 0.3 at |x| < 0.05, sun in the west at 45 degrees: shadow 0.3 long to the east.
  const Sun sun{std::numbers::pi, std::numbers::pi / 4, 1, true};
  const Plane light =
      hillshade(sampled(101, [](double x, double) { return std::abs(x) < 0.05 ? 0.3 : 0.0; }), sun);
  const double lit = std::sin(sun.altitude);
  EXPECT_NEAR(light.linear(-0.5, 0), lit, 1e-9);
  EXPECT_NEAR(light.linear(0.6, 0), lit, 1e-9);
  EXPECT_LT(light.linear(0.2, 0), 0.6 * lit);
}

} // namespace
} // namespace heddle::plot
