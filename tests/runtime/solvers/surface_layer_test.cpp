// SPDX-License-Identifier: Apache-2.0
#include "heddle/solvers/surface_layer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "../../support/messages.hpp"

namespace heddle {
namespace {

constexpr double height = 20;
constexpr double roughness = 0.1;

// |U|/u_*: the integral of phi/(kappa z), in 2000 steps of ln z by the midpoint rule.
double wind(double zeta) {
  const double step = std::log(height / roughness) / 2000;
  double sum = 0;
  for (int i = 0; i < 2000; ++i) {
    const double here = zeta * roughness / height * std::exp((i + 0.5) * step);
    sum += here < 0 ? std::pow(1 - 16 * here, -0.25) : 1 + 5 * here;
  }
  return sum * step / 0.4;
}

TEST(SurfaceLayer, EntriesSolveTheProfile) {
  const SurfaceLayerTable table = surface_layer_table(height, roughness);
  ASSERT_EQ(table.ratio.size(), 4096U);
  EXPECT_NEAR(table.ratio[0], 0.4 / std::log(200), 1e-15);
  EXPECT_NEAR(table.ratio[2048], 0.4 / std::log(200), 1e-15);
  for (const int n : {40, 300, 900, 1500, 2047}) {
    const double x = n / 2047.0;
    const double warm = table.ratio[static_cast<std::size_t>(n)];
    const double heat = std::pow(x, 4) / table.per_warm;
    EXPECT_NEAR(1 / warm, wind(-heat / std::pow(warm, 3)), 1e-5 / warm) << n;
    const double cold = table.ratio[static_cast<std::size_t>(2048 + n)];
    const double loss = (1 - (1 - x) * (1 - x)) / table.per_cold;
    EXPECT_NEAR(1 / cold, wind(loss / std::pow(cold, 3)), 1e-5 / cold) << n;
  }
  EXPECT_NEAR(1 / table.per_warm, 20 * std::pow(table.ratio[2047], 3), 1e-12);
}

TEST(SurfaceLayer, RefusesGroundAboveTheCell) {
  const std::string message = test::error_of([] { (void)surface_layer_table(0.1, 0.5); });
  EXPECT_TRUE(test::contains(message, "is not above a roughness length of 0.500000 m")) << message;
}

} // namespace
} // namespace heddle
