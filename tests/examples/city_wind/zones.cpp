// SPDX-License-Identifier: Apache-2.0
// Zones in any direction and of any shape, canyons, and the undisturbed wind.
#include "zones.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "wind.hpp"

namespace city_wind {
namespace {

Sensor west_wind(double x, double y, double direction = 270) {
  return {"test", 0, {x, y}, 10, 5, direction, Profile::logarithmic, 0.1};
}

/// A square domain with one building, before the solve.
struct Scene {
  Scene(std::vector<Building> built, double direction, const Parameterisations& chosen = {})
      : grid(make_grid(40, 40, 30, 4, 4, 2)), ground(grid), buildings(std::move(built)),
        inflow({west_wind(80, 80, direction)}), wind(grid, ground, buildings, heddle::Memory::host) {
    check_buildings(buildings, grid, ground);
    wind.guess(inflow, make_zones(grid, ground, buildings, inflow, chosen, 0.1));
  }
  Grid grid;
  Ground ground;
  std::vector<Building> buildings;
  Inflow inflow;
  Wind<double> wind;
};

Building box(double x, double y, double length, double width, double height) {
  return make_building("box", {{x, y}, {x + length, y}, {x + length, y + width}, {x, y + width}, {x, y}},
                       height);
}

/// Calls f(i, j, k) for every cell of the 40 x 40 x 30.
template <class F> void for_cells(F&& f) {
  for (std::int64_t k = 0; k < 30; ++k)
    for (std::int64_t j = 0; j < 40; ++j)
      for (std::int64_t i = 0; i < 40; ++i)
        f(i, j, k);
}

int flagged(const Wind<double>& wind, int flag) {
  int count = 0;
  for (const std::uint8_t cell : wind.icell.read())
    count += cell == flag;
  return count;
}

// Turned by a quarter, domain, building and wind give the turned field: x -> y, y -> 160 m - x.
TEST(Zones, TurnWithTheWind) {
  const Scene west({box(60, 56, 24, 40, 30)}, 270);
  const Scene south({box(64, 60, 40, 24, 30)}, 180);
  const auto [u, w] = std::pair(west.wind.u.view(), west.wind.w.view());
  const auto [v_s, w_s] = std::pair(south.wind.v.view(), south.wind.w.view());
  for_cells([&](auto i, auto j, auto k) {
    ASSERT_NEAR(u(i, j, k), v_s(39 - j, i, k), 1e-12) << i << " " << j << " " << k;
    ASSERT_NEAR(w(i, j, k), w_s(39 - j, i, k), 1e-12) << i << " " << j << " " << k;
    ASSERT_EQ(west.wind.icell.view()(i, j, k), south.wind.icell.view()(39 - j, i, k));
  });
  for (const int flag : {3, 4, 5, 9, 10})
    EXPECT_GT(flagged(west.wind, flag), 0) << flag;
}

// A cube met at its edge: the mirror image at the diagonal is the same, and both lee walls have a wake.
TEST(Zones, AnObliqueWindIsSymmetricToTheDiagonal) {
  const Scene scene({box(48, 48, 32, 32, 24)}, 225);
  const auto [u, v] = std::pair(scene.wind.u.view(), scene.wind.v.view());
  for_cells([&](auto i, auto j, auto k) {
    ASSERT_NEAR(u(i, j, k), v(j, i, k), 1e-12) << i << " " << j << " " << k;
  });
  EXPECT_EQ(flagged(scene.wind, 3), 0); // no wall meets the wind squarely
  EXPECT_EQ(flagged(scene.wind, 9), 0);
  const auto cell = scene.wind.icell.view();
  EXPECT_EQ(cell(21, 14, 3), 4); // behind the east wall
  EXPECT_EQ(cell(14, 21, 3), 4); // behind the north wall
  EXPECT_LT(u(21, 19, 3), 0);    // and the flow turns back there
  EXPECT_EQ(cell(33, 33, 1), 5);
}

TEST(Zones, APolygonOfManyWallsActsAsABoxOfItsExtents) {
  std::vector<Vec2> ring{{60, 60}, {70, 60}, {84, 60}, {84, 70}, {84, 84}, {60, 84}, {60, 60}};
  const Scene split({make_building("polygon", ring, 24)}, 270, {false, true, false, false, true});
  const Scene whole({box(60, 60, 24, 24, 24)}, 270, {false, true, false, false, true});
  for_cells([&](auto i, auto j, auto k) {
    ASSERT_NEAR(split.wind.u.view()(i, j, k), whole.wind.u.view()(i, j, k), 1e-12)
        << i << " " << j << " " << k;
  });
}

TEST(Zones, BetweenTwoHousesAVortexFillsTheStreet) {
  const Scene scene({box(48, 60, 24, 40, 24), box(84, 60, 24, 40, 24)}, 270);
  const auto [u, w, cell] = std::tuple(scene.wind.u.view(), scene.wind.w.view(), scene.wind.icell.view());
  // Faces at x = 72, 76, 80, 84: the street is 12 m wide. Roeckle: u = -U x (S - x) / (S / 2)^2.
  const double roof = scene.inflow.wind(0, 0, 25).x;
  for (const std::int64_t i : {19, 20}) {
    const double x = static_cast<double>(4 * i) - 72;
    EXPECT_NEAR(u(i, 20, 5), -roof * x * (12 - x) / 36, 1e-12) << i;
  }
  for (const std::int64_t i : {18, 19, 20}) {
    EXPECT_EQ(cell(i, 20, 5), 6);
    const double x = static_cast<double>(4 * i) - 70;
    const double expected = -std::abs(roof / 2 * (1 - x / 6)) * (1 - (12 - x) / 6);
    EXPECT_NEAR(w(i, 20, 5), expected, 1e-12) << i;
  }
  const Scene apart({box(12, 60, 24, 40, 24), box(112, 60, 24, 40, 24)}, 270);
  EXPECT_EQ(flagged(apart.wind, 6), 0); // beyond the cavity there is no canyon
  EXPECT_GT(flagged(scene.wind, 6), 50);
}

TEST(Undisturbed, ProfilesAreLogarithmicOrPowerLaws) {
  const Grid grid = make_grid(8, 8, 20, 5, 4, 1, 1.1);
  const Ground ground(grid);
  Sensor sensor = west_wind(20, 16, 300);
  sensor.profile = Profile::power;
  sensor.shape = 0.25;
  for (const bool power : {false, true}) {
    const Inflow inflow({power ? sensor : west_wind(20, 16, 300)});
    Wind<double> wind(grid, ground, {}, heddle::Memory::host);
    wind.guess(inflow, {});
    for (std::int64_t k = 0; k < 20; ++k) {
      const double z = grid.height[static_cast<std::size_t>(k)];
      const double speed = power ? 5 * std::pow(z / 10, 0.25) : 5 * std::log(z / 0.1 + 1) / std::log(101);
      EXPECT_NEAR(wind.u.view()(3, 4, k), speed * std::sqrt(0.75), 1e-12);
      EXPECT_NEAR(wind.v.view()(3, 4, k), -speed * 0.5, 1e-12);
    }
  }
}

TEST(Undisturbed, SeveralSensorsAreMetAndJoinedSmoothly) {
  const Grid grid = make_grid(60, 40, 8, 10, 10, 4);
  const Ground ground(grid);
  std::vector<Sensor> sensors{west_wind(105, 105), west_wind(495, 105), west_wind(305, 295, 225)};
  sensors[1].speed = 8;
  const Inflow inflow(sensors);
  Wind<double> wind(grid, ground, {}, heddle::Memory::host);
  wind.guess(inflow, {});
  // The kernels add up what the host says, on every cell.
  for (std::int64_t j = 1; j < 40; j += 3)
    for (std::int64_t i = 1; i < 60; i += 3) {
      const double x = 10 * static_cast<double>(i) + 5;
      const double y = 10 * static_cast<double>(j) + 5;
      const Vec2 expected = inflow.wind(x, y, grid.height[2]);
      ASSERT_NEAR(wind.u_free.view()(i, j, 2), expected.x, 1e-12);
      ASSERT_NEAR(wind.v_free.view()(i, j, 2), expected.y, 1e-12);
    }
  for (const Sensor& s : sensors) {
    const Vec2 there = inflow.wind(s.at.x, s.at.y, 10);
    EXPECT_NEAR(std::hypot(there.x, there.y), s.speed, 0.05 * s.speed)
        << s.at.x; // two passes meet them nearly
  }
  // Between them no new extremes of more than the correction, far away their mean.
  sensors[1].speed = 5;
  sensors[2].direction = 270;
  const Inflow alike(sensors);
  EXPECT_NEAR(alike.wind(300, 200, 10).x, 5, 1e-12);
  EXPECT_NEAR(alike.wind(1e6, 1e6, 10).x, 5, 1e-12);
}

TEST(Undisturbed, ItFollowsTheGround) {
  const Grid grid = make_grid(20, 10, 30, 10, 10, 5);
  heddle::geometry::Elevation model{20, 10, 10, 10, {}, "ridge"};
  for (int row = 0; row < 10; ++row)
    for (int column = 0; column < 20; ++column)
      model.height.push_back(300 + (column >= 8 && column < 12 ? 40 : 0));
  const Ground ground(grid, model, {0, 0});
  EXPECT_EQ(ground.lowest(), 300);
  Wind<double> wind(grid, ground, {}, heddle::Memory::host);
  wind.guess(Inflow({west_wind(10, 10)}), {});
  EXPECT_EQ(wind.icell.view()(9, 5, 7), 2); // centre at 37.5 m
  EXPECT_EQ(wind.icell.view()(9, 5, 8), 1);
  EXPECT_NEAR(wind.u.view()(10, 5, 10), wind.u.view()(3, 5, 2), 1e-12); // both 12.5 m above their ground
  EXPECT_TRUE(wind.solve(1e-10, 5000, wind.best_omega()).converged());
  wind.correct();
  EXPECT_LT(wind.largest_divergence(), 2e-10);
  EXPECT_GT(wind.w.view()(7, 5, 8), 0.1); // up the slope
}

} // namespace
} // namespace city_wind
