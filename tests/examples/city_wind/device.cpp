// SPDX-License-Identifier: Apache-2.0
// The small city on the device: the same flags and the same wind as on the host.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "heddle/core/error.hpp"
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

/// Both are guessed and solved; the wind is the same up to library functions and sums, whose last digits
/// differ.
template <class T> class Pair {
public:
  Pair() {
    host.guess(inflow_, zones_);
    device.guess(inflow_, zones_);
  }

  void expect_equal(double digits) {
    EXPECT_EQ(host.icell.read(), device.icell.read()); // rounding decides nothing about where a zone is
    EXPECT_EQ(host.open.read(), device.open.read());
    EXPECT_LT(difference(host.u, device.u), digits);
    EXPECT_LT(difference(host.v, device.v), digits);
    EXPECT_LT(difference(host.w, device.w), digits);
  }

private:
  Place place_;
  Inflow inflow_{place_.sensors};
  std::vector<Zone> zones_ = make_zones(place_.grid, *place_.ground, place_.buildings, inflow_, {}, 0.1);

public:
  Wind<T> host{place_.grid, *place_.ground, place_.buildings, heddle::Memory::host};
  Wind<T> device{place_.grid, *place_.ground, place_.buildings, heddle::Memory::device};
};

template <class T> constexpr double digits = sizeof(T) == 8 ? 1e-12 : 1e-5;
template <class T> constexpr double tolerance = sizeof(T) == 8 ? 1e-9 : 2e-4;

/// Solves on both, times the device, and corrects.
template <class T, class Solve> void solve(Pair<T>& winds, const char* name, Solve&& with) {
  const heddle::Solution there = with(winds.host);
  const auto begin = std::chrono::steady_clock::now();
  const heddle::Solution here = with(winds.device);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_TRUE(there.converged()) << to_string(there);
  EXPECT_TRUE(here.converged()) << to_string(here);
  EXPECT_EQ(there.cycles, here.cycles);
  winds.host.correct();
  winds.device.correct();
  winds.expect_equal(1000 * digits<T>);
  EXPECT_LE(winds.device.largest_divergence(), 1.5 * tolerance<T>);
  std::printf("f%zu, %s: %s in %.4f s\n", 8 * sizeof(T), name, to_string(here).c_str(), seconds);
}

TYPED_TEST(Device, GivesTheWindOfTheHost) {
  using T = TypeParam;
  Pair<T> winds;
  winds.expect_equal(digits<T>);
  solve(winds, "relaxation",
        [](Wind<T>& wind) { return wind.solve(tolerance<T>, 20000, wind.best_omega()); });
}

TYPED_TEST(Device, GivesTheWindOfTheHostByMultigrid) {
  using T = TypeParam;
  Pair<T> winds;
  solve(winds, "multigrid", [](Wind<T>& wind) { return wind.solve_with_multigrid(tolerance<T>, 200); });
}

TYPED_TEST(Device, IteratesWithoutTheHost) {
  using T = TypeParam;
  Pair<T> winds;
  const auto waits = [&](auto&& solve) {
    const std::int64_t before = heddle::host_waits();
    solve();
    return heddle::host_waits() - before;
  };
  Wind<T>& wind = winds.device;
  wind.phi.fill(T(0));
  (void)wind.solve_with_multigrid(1e-12, 1); // sets the coarse levels up
  EXPECT_EQ(waits([&] { (void)wind.solve_with_multigrid(1e-12, 1); }),
            waits([&] { (void)wind.solve_with_multigrid(1e-12, 8); }));
  wind.phi.fill(T(0));
  EXPECT_EQ(waits([&] { (void)wind.solve(1e-12, 10, 1.8); }),
            waits([&] { (void)wind.solve(1e-12, 200, 1.8); }));
}

} // namespace
} // namespace city_wind
