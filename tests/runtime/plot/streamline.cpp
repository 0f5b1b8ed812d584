// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/streamline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heddle/core/error.hpp"
#include "planes.hpp"

namespace heddle::plot {
namespace {

using test::sampled;

TEST(Streamlines, FollowConcentricCircles) {
  const Plane u = sampled(81, [](double, double y) { return -y; });
  const Plane v = sampled(81, [](double x, double) { return x; });
  const auto lines = streamlines(u, v, {.separation = 0.1, .shortest = 2, .step = 0.5, .still_speed = 1e-3});
  EXPECT_GT(lines.size(), 5U);
  for (const auto& line : lines) {
    const double r = std::hypot(line[0].x, line[0].y);
    for (const Vec2& p : line)
      EXPECT_NEAR(std::hypot(p.x, p.y), r, 1e-4);
  }
}

/// Smallest distance between points of different lines.
double smallest_gap(const std::vector<Polyline>& lines) {
  double nearest = 9;
  for (std::size_t a = 0; a < lines.size(); ++a)
    for (std::size_t b = a + 1; b < lines.size(); ++b)
      for (const Vec2& p : lines[a])
        for (const Vec2& q : lines[b])
          nearest = std::min(nearest, std::hypot(p.x - q.x, p.y - q.y));
  return nearest;
}

TEST(Streamlines, EndWhereTheFlowDrawsThemTogether) {
  const Plane u = sampled(41, [](double, double) { return 1.0; });
  const Plane v = sampled(41, [](double, double y) { return -3 * y; });
  const auto lines = streamlines(u, v, {.separation = 0.2, .shortest = 1});
  EXPECT_GT(lines.size(), 4U);
  EXPECT_GT(smallest_gap(lines), 0.45 * 0.2);
}

TEST(Streamlines, AreEvenlySpacedAndFillThePlane) {
  const Plane u = sampled(41, [](double, double) { return 2.0; });
  const Plane v = sampled(41, [](double x, double) { return std::cos(3 * x); });
  const double separation = 0.2;
  const auto lines = streamlines(u, v, {.separation = separation, .shortest = 1});
  EXPECT_GT(smallest_gap(lines), 0.45 * separation);
  for (double x = -0.9; x < 1; x += 0.1)
    for (double y = -0.9; y < 1; y += 0.1) {
      double distance = 9;
      for (const auto& line : lines)
        for (const Vec2& p : line)
          distance = std::min(distance, std::hypot(p.x - x, p.y - y));
      EXPECT_LT(distance, 1.6 * separation);
    }
  for (const auto& line : lines)
    EXPECT_LT(line.front().x, line.back().x); // downstream
}

TEST(Streamlines, StopAtNanAndInStillAir) {
  Plane u = sampled(41, [](double x, double) { return x < 0 ? 1.0 : std::nan(""); });
  const Plane v = sampled(41, [](double, double) { return 0.0; });
  for (const auto& line : streamlines(u, v, {.separation = 0.3, .shortest = 1}))
    EXPECT_LT(line.back().x, 0.051);
  EXPECT_TRUE(streamlines(v, v, {.separation = 0.3}).empty());
}

TEST(Streamlines, RefuseWhatMakesNoSense) {
  const Plane u = sampled(5, [](double, double) { return 1.0; });
  const Plane v = sampled(6, [](double, double) { return 1.0; });
  EXPECT_THROW((void)streamlines(u, v, {.separation = 1}), Error);
  EXPECT_THROW((void)streamlines(u, u, {.separation = 0}), Error);
}

} // namespace
} // namespace heddle::plot
