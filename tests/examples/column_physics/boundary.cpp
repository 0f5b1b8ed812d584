// SPDX-License-Identifier: Apache-2.0
// The outermost cells have the air of the coarser domain, at its times.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "small_domain.hpp"

namespace front {
namespace {

/// Vapour of the coarser domain as Weather describes it: of a level with patches, at x, y (m) and a time (s).
double vapour(const Weather& weather, double x, double y, int level, double time) {
  const auto [u, v] = weather.wind(0);
  const auto [k_x, k_y] = Weather::waves();
  return weather.levels().vapour[static_cast<std::size_t>(level)] +
         weather.patch(level) * std::cos(k_x * (x - u * time)) * std::cos(k_y * (y - v * time));
}

constexpr std::array<std::int64_t, 3> rows{0, 9, 19};

/// Air that moves fast, so that patches pass within some steps.
Sounding storm() {
  Sounding air = weisman_klemp();
  air.u.assign(air.u.size(), 120);
  return air;
}

/// Vapour in some outermost cells after so many steps.
struct Boundary {
  explicit Boundary(std::int64_t steps) {
    run.solver.step(0, steps);
    run.solver.finish();
    const auto q = run.solver.parts().front()->air().q.view();
    for (const std::int64_t y : rows)
      values.push_back(static_cast<double>(q(0, y, 2, Tracer::vapour)));
  }

  Options options = test::small_options();
  test::Run run{options, nullptr, storm()};
  std::vector<double> values;
};

TEST(Zone, AfterACoarseStepItHasTheAirOfTheCoarserDomain) {
  for (const std::int64_t steps : {ratio, 4 * ratio}) {
    const Boundary found(steps);
    const double time = found.options.time_step * static_cast<double>(steps);
    const Weather& weather = found.run.weather;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const double y = found.options.spacing * (static_cast<double>(rows[n]) + 0.5);
      const double x = found.options.spacing / 2, patch = weather.patch(2);
      const double expected = vapour(weather, x, y, 2, time);
      // The interpolation clips at the crests of patches, which are ten coarse cells long.
      EXPECT_NEAR(found.values[n], expected, 0.12 * patch) << steps << ", " << y;
      EXPECT_GT(std::abs(expected - vapour(weather, x, y, 2, 0)), steps > ratio ? 0.3 * patch : 0);
    }
  }
}

TEST(Zone, WithinACoarseStepItChangesLinearly) {
  const Boundary one(4), two(5), all(6), before(3);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const double whole = all.values[n] - before.values[n];
    EXPECT_GT(std::abs(whole), 1e-7);
    EXPECT_NEAR(one.values[n] - before.values[n], whole / 3, 3e-9); // rounding of some 1e-2
    EXPECT_NEAR(two.values[n] - before.values[n], 2 * whole / 3, 3e-9);
  }
}

TEST(OuterAir, IsTheAirThatRunsBeginWith) {
  test::SmallDomain domain(test::small_options());
  const auto q = domain.part.air().q.view();
  const double spacing = test::small_options().spacing;
  for (const int k : {0, 3, 10}) {
    const auto level = static_cast<std::size_t>(k);
    EXPECT_EQ(q(5, 6, k, Tracer::theta), static_cast<float>(domain.levels().theta[level]));
    EXPECT_NEAR(static_cast<double>(q(5, 6, k, Tracer::vapour)),
                vapour(domain.weather, 5.5 * spacing, 6.5 * spacing, k, 0), 1e-7);
    EXPECT_EQ(q(5, 6, k, Tracer::cloud), 0);
  }
}

} // namespace
} // namespace front
