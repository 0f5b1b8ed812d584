// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/contour.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "planes.hpp"

namespace heddle::plot {
namespace {

using test::sampled;

double length(const Polyline& line) {
  double sum = 0;
  for (std::size_t n = 1; n < line.size(); ++n)
    sum += std::hypot(line[n].x - line[n - 1].x, line[n].y - line[n - 1].y);
  return sum;
}

TEST(Contour, ACircleIsOneClosedLine) {
  const Plane plane = sampled(101, [](double x, double y) { return std::hypot(x, y); });
  const auto lines = contour_lines(plane, 0.613);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].front().x, lines[0].back().x);
  EXPECT_EQ(lines[0].front().y, lines[0].back().y);
  for (const Vec2& p : lines[0])
    EXPECT_NEAR(std::hypot(p.x, p.y), 0.613, 2e-4);
  EXPECT_NEAR(length(lines[0]), 2 * std::numbers::pi * 0.613, 1e-2);
}

TEST(Contour, ALineThatLeavesIsOpen) {
  const Plane plane = sampled(11, [](double x, double y) { return x + 2 * y; });
  const auto lines = contour_lines(plane, 0.55);
  ASSERT_EQ(lines.size(), 1U);
  for (const Vec2& p : lines[0])
    EXPECT_NEAR(p.x + 2 * p.y, 0.55, 1e-12);
  EXPECT_NEAR(length(lines[0]), std::sqrt(5), 1e-9); // from x = -1 to x = 1
}

TEST(Contour, ASaddleGivesTwoLinesThatDoNotCross) {
  Plane plane{2, 2, 0, 0, 1, 1, {1, 0, 0, 1}};
  for (const double level : {0.4, 0.6}) {
    const auto lines = contour_lines(plane, level);
    ASSERT_EQ(lines.size(), 2U);
    // Below the mean (0.5) the corners with 0 are cut off, above it the corners with 1.
    for (const auto& line : lines)
      for (const Vec2& p : line) {
        const double mean_x = (line.front().x + line.back().x) / 2;
        const double mean_y = (line.front().y + line.back().y) / 2;
        EXPECT_EQ((mean_x - 0.5) * (mean_y - 0.5) > 0, level > 0.5) << p.x;
      }
  }
}

TEST(Contour, NothingOutsideTheRangeOrAtNan) {
  Plane plane = sampled(5, [](double x, double) { return x; });
  EXPECT_TRUE(contour_lines(plane, 2).empty());
  for (double& value : plane.values)
    value = std::nan("");
  EXPECT_TRUE(contour_lines(plane, 0).empty());
}

} // namespace
} // namespace heddle::plot
