// SPDX-License-Identifier: Apache-2.0
// Water that stays positive, rain and its budgets, the sea of RICO.
#include "rain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "constants.hpp"
#include "heddle/transport/thread_group.hpp"
#include "simulation.hpp"

namespace clouds {
namespace {

/// The least value of water in a stirred flow with eddies, where half of the cells have none at first; and
/// the relative change of its mass.
std::pair<double, double> least_water(bool positive) {
  Case what = quiet();
  what.turbulence = true;
  what.positive = positive;
  Simulation<double> s(what, {12, 10, 12}, stretched);
  s.stir();
  s.stepper.now().q.fill([](auto x, auto y, auto z, int) { return (x + y + z) % 4 < 2 ? 1e-3 : 0.0; });
  const double before = s.mass_of(s.look().q);
  double least = 1;
  for (int n = 0; n < 8; ++n) {
    s.run(1, 8);
    least = std::min(least, std::ranges::min(s.look().q));
  }
  return {least, s.mass_of(s.look().q) / before - 1};
}

TEST(Rain, TheLimiterKeepsWaterPositiveAndItsMass) {
  const auto [least, change] = least_water(true);
  EXPECT_GE(least, -1e-15);
  EXPECT_LT(std::abs(change), 1e-13);
  EXPECT_LT(least_water(false).first, -1e-5);
}

/// RICO on few cells, with clouds and rain in it from the start.
Case wet(RainScheme scheme) {
  Case what = rico();
  what.size = {1200, 1000, 4000};
  what.rain = scheme;
  return what;
}

/// kg/m2 and second: what forcing, sponge and lid give to the water of a state.
double given(const Simulation<double>& s, const Snapshot& at) {
  const std::size_t n = s.base.levels(), level = s.level_cells();
  const double slope = slope_at_lid(s.what.water, s.base);
  double sum = 0;
  for (std::size_t cell = 0; cell < at.q.size(); ++cell) {
    const std::size_t k = cell / level;
    const double z = s.base.centre[k];
    const double rise = k + 1 < n ? (at.q[cell + level] - at.q[cell]) / s.base.distance[k + 1] : slope;
    const double rate = s.what.moistening.at(z) - s.what.subsidence.at(z) * rise -
                        sponge_at(s.what, z) * (at.q[cell] - s.base.water[k]);
    sum += s.base.density[k] * s.base.height[k] * rate;
    if (k + 1 == n) sum += s.base.face_density[n] * s.what.per_prandtl * at.viscosity[cell] * slope;
  }
  return sum / static_cast<double>(level);
}

void expect_budget(RainScheme scheme) {
  Simulation<double> s(wet(scheme), {12, 10, 40});
  moisten(s.stepper);
  const auto column = [&](const std::vector<double>& water) {
    return s.mass_of(water) / static_cast<double>(s.level_cells());
  };
  Snapshot now = s.look();
  const double first_rain = column(now.rain), first = column(now.q) + first_rain;
  double expected = first;
  LowestLevel ground = s.lowest();
  for (int n = 0; n < 12; ++n) {
    const double length = 2 + n % 2;
    expected += length * (given(s, now) + s.base.face_density[0] * ground.water_flux);
    s.stepper.step(length);
    now = s.look();
    const double fallen = ground.fallen;
    ground = s.lowest();
    expected -= ground.fallen - fallen;
    ASSERT_GE(std::ranges::min(now.q), -1e-15);
    ASSERT_GE(std::ranges::min(now.rain), -1e-15);
  }
  EXPECT_NEAR((column(now.q) + column(now.rain)) / expected, 1, 1e-12);
  EXPECT_GT(std::abs(expected / first - 1), 1e-4);
  EXPECT_GT(ground.fallen, 0.01);
  EXPECT_GT(std::abs(column(now.rain) - first_rain + ground.fallen), 0.01); // it formed or evaporated
}

TEST(Rain, WaterComesFromTheSeaAndForcingAndLeavesAsKesslersRain) {
  expect_budget(RainScheme::kessler);
}

TEST(Rain, WaterComesFromTheSeaAndForcingAndLeavesAsRainOfSeifertAndBeheng) {
  expect_budget(RainScheme::seifert_beheng);
}

TEST(Rain, ItsLoadPullsAirDown) {
  Case what = quiet();
  what.rain = RainScheme::kessler;
  what.boussinesq = true;
  Simulation<double> s(what, {12, 10, 12}, stretched);
  const auto wave = [](auto x) { return std::cos(2 * std::numbers::pi * static_cast<double>(x) / 12); };
  s.stepper.now().r->fill([&](auto x, auto, auto, int) { return 1e-3 * (1 + wave(x)); });
  s.run(1, 1e-3);
  const Snapshot heavy = s.look();
  s.stepper.now().w.fill([](auto, auto, auto, int) { return 0.0; });
  s.stepper.now().u.fill([](auto, auto, auto, int) { return 0.0; });
  s.stepper.now().r->fill([](auto, auto, auto, int) { return 0.0; });
  s.stepper.now().th.fill([&](auto x, auto, auto, int) { return -300e-3 * wave(x); }); // as heavy
  s.run(1, 1e-3);
  const Snapshot cold = s.look();
  for (std::size_t x = 0; x < 12; ++x) {
    const std::size_t cell = x + s.level_cells() * 6;
    EXPECT_NEAR(heavy.w[cell], cold.w[cell], 1e-3 * largest(cold.w));
  }
  EXPECT_LT(heavy.w[s.level_cells() * 6], -1e-6);
}

TEST(Rain, RanksHaveTheSameBits) {
  const Case what = wet(RainScheme::seifert_beheng);
  const BaseState base = make_base_state(what, 40);
  struct Result {
    Snapshot air;
    Sample sample;
  };
  const auto run = [&](int ranks) {
    Result result;
    heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
      Stepper<double> stepper(what, base, {12, 10, 40}, Scheme::fifth, transport);
      moisten(stepper);
      for (int n = 0; n < 3; ++n) {
        (void)stepper.survey();
        stepper.step(3);
      }
      (void)stepper.survey();
      Statistics<double> statistics(what, base, stepper, Scheme::fifth, transport);
      const Result all{snapshot(stepper, transport, 0), statistics.measure(0)};
      if (transport.rank() == 0) result = all;
    });
    return result;
  };
  const Result one = run(1), two = run(2);
  EXPECT_EQ(one.air.rain, two.air.rain);
  EXPECT_EQ(one.air.q, two.air.q);
  EXPECT_EQ(one.air.w, two.air.w);
  EXPECT_EQ(one.sample.numbers, two.sample.numbers);
  EXPECT_GT(one.sample.numbers[series::rain_fallen], 1e-3);
  EXPECT_EQ(one.sample.faces, two.sample.faces);
  const auto bits = [](const Sample& sample) { // of NaN, too
    std::vector<std::uint64_t> all;
    for (const auto& row : sample.centres)
      for (const double value : row)
        all.push_back(std::bit_cast<std::uint64_t>(value));
    return all;
  };
  EXPECT_EQ(bits(one.sample), bits(two.sample));
}

TEST(Rico, StartsWithThePublishedFluxesAndWithoutClouds) {
  Case what = rico();
  what.size = {1200, 1000, 4000};
  what.water_noise = what.theta_noise = 0;
  Simulation<double> s(what, {12, 10, 100});
  s.stepper.start(1);
  const Snapshot now = s.look();
  const LowestLevel ground = s.lowest();
  const double rho = s.base.face_density[0];
  EXPECT_NEAR(rho * heat_dry * ground.theta_flux, 8, 0.3); // W/m2
  EXPECT_NEAR(rho * vaporisation * ground.water_flux, 200, 5);
  EXPECT_NEAR(std::sqrt(std::hypot(ground.stress_u, ground.stress_v)), 0.37, 0.005); // u_*, m/s
  EXPECT_EQ(largest(now.cloud), 0);
  const double theta = what.theta.at(1000), exner = std::pow(90507.0 / 1e5, gas_dry / heat_dry);
  EXPECT_NEAR(what.water.at(1000) / saturation_humidity(theta * exner, 90507), 0.891, 0.001);
  EXPECT_NEAR((s.base.pressure[24] + s.base.pressure[25]) / 2, 90507, 10);
}

TEST(Rico, NoRainFallsFurtherThanItsKernelFollowsIt) {
  Case what = rico();
  EXPECT_EQ(longest_fall(what, make_base_state(what, 100)), 10);
  EXPECT_DOUBLE_EQ(longest_fall(what, make_base_state(what, 400)), 3);
  what.rain = RainScheme::none;
  EXPECT_EQ(longest_fall(what, make_base_state(what, 400)), 10);
}

} // namespace
} // namespace clouds
