// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/plane.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "planes.hpp"

namespace heddle::plot {
namespace {

using test::sampled;

TEST(Plane, LinearIsExactForBilinearFunctions) {
  const auto f = [](double x, double y) { return 1 + 2 * x - 3 * y + 0.5 * x * y; };
  const Plane plane = sampled(9, f);
  for (const double x : {-1.0, -0.37, 0.1, 1.0})
    for (const double y : {-0.99, 0.0, 0.77})
      EXPECT_NEAR(plane.linear(x, y), f(x, y), 1e-14);
  EXPECT_NEAR(plane.linear(5, 5), f(1, 1), 1e-14);
}

TEST(Plane, CubicIsExactForQuadraticsAwayFromTheRim) {
  const auto f = [](double x, double y) { return 1 + 2 * x * x - 3 * y * y + x * y; };
  const Plane plane = sampled(21, f);
  for (const double x : {-0.83, -0.37, 0.11})
    for (const double y : {-0.7, 0.0, 0.77})
      EXPECT_NEAR(plane.cubic(x, y), f(x, y), 1e-12);
}

TEST(Plane, NanSpreadsOnlyToItsSquares) {
  Plane plane = sampled(5, [](double, double) { return 1.0; });
  plane.at(2, 2) = std::nan("");
  EXPECT_TRUE(std::isnan(plane.linear(0.1, 0.1)));
  EXPECT_EQ(plane.linear(0.5, 0.5), 1);
  EXPECT_EQ(range_of(plane).upper, 1);
}

} // namespace
} // namespace heddle::plot
