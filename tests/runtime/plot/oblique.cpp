// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/oblique.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace heddle::plot {
namespace {

constexpr double half_turn = std::numbers::pi;

/// A unit square at the height z, centred on the origin.
void add_square(Oblique& view, double z, const Colour& colour) {
  view.sheet(
      2, 2, [z](std::int64_t i, std::int64_t j) { return Vec3{double(i) - 0.5, double(j) - 0.5, z}; },
      [colour](std::int64_t, std::int64_t) { return colour; });
}

TEST(Oblique, ViewedFromAboveASquareIsASquareOfTheRightSize) {
  // From a height of 2 the angle of 90 degrees shows a ground of 4 x 4: the square fills a quarter of each
  // side.
  Oblique view(400, 400, {{0, 0, 0}, -half_turn / 2, half_turn / 2, 2, half_turn / 2});
  add_square(view, 0, {1, 0, 0});
  const Raster raster = view.raster();
  double covered = 0;
  for (const Colour& colour : raster.pixels)
    covered += colour.alpha;
  EXPECT_NEAR(covered, 100 * 100, 1);
  EXPECT_EQ(raster.at(200, 200).red, 1);
  EXPECT_EQ(raster.at(100, 200).alpha, 0);
}

TEST(Oblique, EastIsRightAndNorthIsUpForAViewerInTheSouth) {
  const Oblique view(400, 300, {{0, 0, 0}, -half_turn / 2, 0.6, 5, 0.6});
  EXPECT_NEAR(view.project({0, 0, 0})->x, 200, 1e-9);
  EXPECT_NEAR(view.project({0, 0, 0})->y, 150, 1e-9);
  EXPECT_GT(view.project({1, 0, 0})->x, 210);
  EXPECT_LT(view.project({0, 1, 0})->y, 140);
  EXPECT_LT(view.project({0, 0, 1})->y, 140);
  EXPECT_FALSE(view.project({0, -50, 30}));
}

TEST(Oblique, TheNearerSheetHidesTheFartherOneInAnyOrder) {
  for (const bool near_first : {true, false}) {
    Oblique view(100, 100, {{0, 0, 0}, -half_turn / 2, half_turn / 2, 4, 0.5});
    add_square(view, near_first ? 1 : 0, near_first ? Colour{0, 1, 0} : Colour{1, 0, 0});
    add_square(view, near_first ? 0 : 1, near_first ? Colour{1, 0, 0} : Colour{0, 1, 0});
    EXPECT_EQ(view.raster().at(50, 50).green, 1);
    EXPECT_TRUE(view.visible({0, 0, 1.1}, 0));
    EXPECT_TRUE(view.visible({0, 0, 1}, 1e-3));
    EXPECT_FALSE(view.visible({0, 0, 0.5}, 1e-3));
    EXPECT_FALSE(view.visible({9, 0, 0.5}, 1e-3));
  }
}

} // namespace
} // namespace heddle::plot
