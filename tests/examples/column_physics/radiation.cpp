// SPDX-License-Identifier: Apache-2.0
#include "radiation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heddle/core/stream.hpp"
#include "longwave_bands.hpp"
#include "small_domain.hpp"

namespace front {
namespace {

constexpr double stefan_boltzmann = 5.670374419e-8; // W m-2 K-4

TEST(Planck, BandsAddUpToTheLawOfStefanAndBoltzmann) {
  const auto tables = example::longwave::planck_tables<float>();
  for (const int kelvin : {220, 250, 300}) {
    double flux = 0; // W m-2
    for (std::size_t band = 0; band < 16; ++band)
      flux += std::numbers::pi * 1e4 * static_cast<double>(tables.width[band]) *
              static_cast<double>(tables.planck[16 * static_cast<std::size_t>(kelvin - 160) + band]);
    EXPECT_NEAR(flux / (stefan_boltzmann * std::pow(kelvin, 4)), 1, 2e-3) << kelvin; // 10 to 3000 cm-1
  }
}

TEST(Radiation, WhatFluxesLoseHeatsTheColumn) {
  const Options options = test::small_options();
  test::SmallDomain domain(options);
  Radiation& radiation = domain.part.radiation();
  heddle::Stream stream;
  radiation(stream);
  const auto heating = domain.part.air().heating.view();
  const Levels& levels = domain.levels();
  for (const std::int64_t x : {0, 7, 25})
    for (const std::int64_t y : {0, 11, 19}) {
      const auto [up, down] = radiation.fluxes(x, y);
      double gained = 0;
      for (std::int64_t k = 0; k < heating.extent(2); ++k) {
        const auto n = static_cast<std::size_t>(k);
        gained += heat_dry * levels.mass[n] * levels.exner[n] * static_cast<double>(heating(x, y, k));
      }
      const std::size_t top = levels.mass.size();
      EXPECT_NEAR(gained, up[0] - down[0] - up[top] + down[top], 1e-3); // W m-2, of some hundred
      EXPECT_EQ(down[top], 0);
      EXPECT_GT(up[top], 150);
      EXPECT_LT(up[top], 300);
      EXPECT_GT(down[0], 250);
    }
}

TEST(Radiation, AirAsWarmAsTheGroundRadiatesAsTheGround) {
  const Options options = test::small_options();
  test::SmallDomain domain(options);
  const Levels& levels = domain.levels();
  const double kelvin = levels.theta[0] * std::pow(levels.face_pressure[0] / 1e5, gas_dry / heat_dry);
  domain.part.air().q.fill([&](auto, auto, auto k, int c) {
    return c == Tracer::theta ? kelvin / levels.exner[static_cast<std::size_t>(k)] : 1e-3;
  });
  Radiation& radiation = domain.part.radiation();
  heddle::Stream stream;
  radiation(stream);
  for (const double up : radiation.fluxes(3, 4).up)
    EXPECT_NEAR(up / (stefan_boltzmann * std::pow(kelvin, 4)), 1, 2e-3);
}

} // namespace
} // namespace front
