// SPDX-License-Identifier: Apache-2.0
// Air at rest: pressure, density and humidity of the published case, and hydrostatic balance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base_state.hpp"
#include "constants.hpp"
#include "flow.hpp"
#include "heddle/core/error.hpp"

namespace clouds {
namespace {

TEST(BaseState, OfBomexHasThePressuresAndDensitiesOfTheSpecification) {
  const BaseState s = make_base_state(bomex(), 75);
  const auto pressure = [&](std::size_t face) {
    return reference_pressure * std::pow(s.face_exner[face], heat_dry / gas_dry);
  };
  EXPECT_NEAR(s.face[25], 1000, 1e-9);
  EXPECT_NEAR(pressure(25), 90516, 1);
  EXPECT_NEAR(pressure(50), 80511, 1);
  EXPECT_NEAR(s.face_density[25], 1.0707, 5e-5);
  const double exner = (s.exner[12] + s.face_exner[12]) / 2; // 490 m
  const double temperature = s.theta[12] * exner;
  const double share =
      s.water[12] /
      saturation_humidity(temperature, reference_pressure * std::pow(exner, heat_dry / gas_dry));
  EXPECT_NEAR(share, 0.943, 0.01);
}

TEST(BaseState, OfRicoHasThePressuresAndDensitiesOfTheSpecification) {
  const BaseState s = make_base_state(rico(), 100);
  const auto pressure = [&](std::size_t face) {
    return reference_pressure * std::pow(s.face_exner[face], heat_dry / gas_dry);
  };
  EXPECT_NEAR(pressure(25), 90507, 1);
  EXPECT_NEAR(s.face[100], 4000, 1e-9);
  EXPECT_NEAR(pressure(100), 63217, 2);
  const double tv = 317 * (1 + lightness * 1.8e-3); // there; the lid has that of the highest level
  EXPECT_NEAR(s.face_density[100] * s.tv[99] / tv, 0.7911, 5e-5);
}

TEST(BaseState, AtTheStartNoLevelOfBomexIsSaturated) {
  const BaseState s = make_base_state(bomex(), 75);
  double wettest = 0;
  for (std::size_t k = 0; k < s.levels(); ++k)
    wettest = std::max(wettest, s.water[k] / saturation_humidity(s.theta[k] * s.exner[k], s.pressure[k]));
  EXPECT_LT(wettest, 1);
  EXPECT_GT(wettest, 0.9);
}

TEST(BaseState, ThePolynomialOfSaturationIsThatOfTetensNearby) {
  EXPECT_NEAR(saturation_pressure(300), 3531.9, 0.1);
  for (double t = 280; t <= 300; t += 2)
    EXPECT_NEAR(saturation_pressure(t) / (610.78 * std::exp(17.2694 * (t - 273.16) / (t - 35.86))), 1, 1.5e-3)
        << t;
}

TEST(BaseState, DensityIsTheSlopeOfThePressure) {
  const BaseState s = make_base_state(bomex(), 300);
  for (std::size_t k = 1; k < s.levels(); ++k) {
    const double slope = (s.pressure[k] - s.pressure[k - 1]) / s.distance[k];
    EXPECT_NEAR(-slope / (gravity * s.face_density[k]), 1, 2e-4) << k;
  }
}

TEST(BaseState, StretchedLevelsAddUp) {
  Case what = bomex();
  what.sponge_above = no_sponge;
  const BaseState s = make_base_state(what, std::vector<double>{10, 20, 30, 40, 60, 80, 120});
  EXPECT_DOUBLE_EQ(s.face.back(), 360);
  EXPECT_DOUBLE_EQ(s.centre[2], 45);
  EXPECT_DOUBLE_EQ(s.distance[2], 25);
  EXPECT_TRUE(std::ranges::is_sorted(s.density, std::greater()));
}

TEST(BaseState, RefusesWhatIsNoColumnOfAir) {
  EXPECT_THROW((void)make_base_state(bomex(), 5), heddle::Error);
  EXPECT_THROW((void)make_base_state(bomex(), std::vector<double>{10, 20, -30, 40, 60, 80}), heddle::Error);
  EXPECT_THROW((void)make_base_state(bomex(), std::vector<double>(10, 9000)), heddle::Error);
  EXPECT_THROW((void)make_base_state(bomex(), std::vector<double>(10, 250)),
               heddle::Error); // below the sponge
  EXPECT_NO_THROW((void)make_base_state(bomex(), std::vector<double>(10, 251)));
}

TEST(Case, KnotsAreJoinedByLinesAndEndConstant) {
  const Knots knots{{100, 1}, {200, 3}, {300, 3}, {400, -1}};
  for (const auto& [z, value] : {std::pair{0.0, 1.0}, {100, 1}, {150, 2}, {250, 3}, {350, 1}, {1e6, -1}})
    EXPECT_DOUBLE_EQ(knots.at(z), value) << z;
  EXPECT_DOUBLE_EQ(Knots(7).at(1234), 7);
}

TEST(Case, TheFluxOfBuoyancyOfBomex) {
  EXPECT_NEAR(bomex().virtual_flux(), 0.0176, 1e-4);
  EXPECT_THROW((void)case_named("front"), heddle::Error);
  for (const std::string& name : case_names())
    EXPECT_EQ(case_named(name).name, name);
}

TEST(Levels, OrdersFallTowardsGroundAndLid) {
  EXPECT_EQ(face_orders(7, 5), (std::vector<double>{0, 2, 3, 5, 5, 3, 2, 0}));
  EXPECT_EQ(face_orders(6, 2), (std::vector<double>{0, 2, 2, 2, 2, 2, 0}));
}

} // namespace
} // namespace clouds
