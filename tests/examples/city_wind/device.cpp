// SPDX-License-Identifier: Apache-2.0
// The small city on the device: the same flags and the same wind as on the host.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "heddle/error.hpp"
#include "wind.hpp"

namespace city_wind {
namespace {

struct Place {
  Place() {
    for (int row = 0; row < 60; ++row)
      for (int column = 0; column < 80; ++column)
        model.height.push_back(20 + 6 * std::sin(0.1 * row) * std::cos(0.07 * column));
    ground.emplace(grid, model, Vec2{0, 0});
    check_buildings(buildings, grid, *ground);
    sensors[1].direction = 230;
    sensors[1].at = {500, 400};
    sensors[2].profile = Profile::power;
    sensors[2].shape = 0.2;
    sensors[2].at = {100, 400};
  }
  Grid grid = make_grid(160, 120, 40, 4, 4, 2, 1.04);
  heddle::geometry::Elevation model{80, 60, 8, 8, {}, "hills"};
  std::optional<Ground> ground;
  std::vector<Building> buildings = small_city();
  std::vector<Sensor> sensors =
      std::vector<Sensor>(3, Sensor{"test", 0, {100, 100}, 10, 5, 250, Profile::logarithmic, 0.1});
};

template <class T> double difference(const heddle::Field<T>& a, const heddle::Field<T>& b) {
  const std::vector<T> x = a.read();
  const std::vector<T> y = b.read();
  double largest = 0;
  for (std::size_t n = 0; n < x.size(); ++n)
    largest = std::max(largest, std::abs(static_cast<double>(x[n]) - static_cast<double>(y[n])));
  return largest;
}

template <class T> class Device : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Device, Precisions);

TYPED_TEST(Device, GivesTheWindOfTheHost) {
  using T = TypeParam;
  const Place place;
  const Inflow inflow(place.sensors);
  const std::vector<Zone> zones = make_zones(place.grid, *place.ground, place.buildings, inflow, {}, 0.1);
  Wind<T> host(place.grid, *place.ground, place.buildings, heddle::Memory::host);
  Wind<T> device(place.grid, *place.ground, place.buildings, heddle::Memory::device);
  host.guess(inflow, zones);
  device.guess(inflow, zones);
  // Library functions may differ in the last digit; they decide nothing about where a zone is.
  const double digits = sizeof(T) == 8 ? 1e-12 : 1e-5;
  EXPECT_EQ(host.icell.read(), device.icell.read());
  EXPECT_EQ(host.open.read(), device.open.read());
  EXPECT_LT(difference(host.u, device.u), digits);
  EXPECT_LT(difference(host.v, device.v), digits);
  EXPECT_LT(difference(host.w, device.w), digits);
  const double tolerance = sizeof(T) == 8 ? 1e-9 : 2e-4;
  const heddle::Solution there = host.solve(tolerance, 20000, host.best_omega());
  const auto begin = std::chrono::steady_clock::now();
  const heddle::Solution here = device.solve(tolerance, 20000, device.best_omega());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_TRUE(there.converged()) << to_string(there);
  EXPECT_TRUE(here.converged()) << to_string(here);
  EXPECT_EQ(there.cycles, here.cycles);
  host.correct();
  device.correct();
  EXPECT_LT(difference(host.u, device.u), 1000 * digits);
  EXPECT_LT(difference(host.v, device.v), 1000 * digits);
  EXPECT_LT(difference(host.w, device.w), 1000 * digits);
  EXPECT_LE(device.largest_divergence(), 1.5 * tolerance);
  std::printf("f%zu: %s in %.4f s\n", 8 * sizeof(T), to_string(here).c_str(), seconds);
}

} // namespace
} // namespace city_wind
