// SPDX-License-Identifier: Apache-2.0
// What advection moves is neither made nor lost, and water that rains from the air lies on the ground.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "../../support/noise.hpp"
#include "check.hpp"
#include "heddle/graph/task_graph.hpp"
#include "small_domain.hpp"

namespace front {
namespace {

/// Sum over all cells of a component times a weight per level.
double sum(const heddle::Field<float>& q, int component, const std::vector<double>& weights) {
  const std::vector<float> values = q.read(0, component);
  const std::size_t layer = values.size() / weights.size();
  double all = 0;
  for (std::size_t n = 0; n < values.size(); ++n)
    all += weights[n / layer] * static_cast<double>(values[n]);
  return all;
}

/// A flow within the domain that passes neither its boundaries nor the faces next to them: of two stream
/// functions, across y and across x.
void stir(Air& air, const Options& options, const Levels& levels) {
  const auto [n_x, n_y, n_z] = options.size;
  const auto stream = [](std::int64_t i, std::int64_t n, std::int64_t k, std::int64_t levels_,
                         std::int64_t seed) {
    if (i <= 1 || i >= n - 1 || k <= 0 || k >= levels_) return 0.0;
    return 2e4 * test::noise(i + 100 * k + 10000 * seed);
  };
  const auto along_x = [=, n_x = n_x, n_z = n_z](auto i, auto j, auto k) {
    return stream(i, n_x, k, n_z, j);
  };
  const auto along_y = [=, n_y = n_y, n_z = n_z](auto i, auto j, auto k) {
    return stream(j, n_y, k, n_z, i + 500);
  };
  const auto rdnw = [&](auto k) { return levels.rdnw[static_cast<std::size_t>(k)]; };
  air.ru.fill(
      [&](auto i, auto j, auto k, int) { return rdnw(k) * (along_x(i, j, k + 1) - along_x(i, j, k)); });
  air.rv.fill(
      [&](auto i, auto j, auto k, int) { return rdnw(k) * (along_y(i, j, k + 1) - along_y(i, j, k)); });
  air.om.fill([&](auto i, auto j, auto k, int) {
    return -(along_x(i + 1, j, k) - along_x(i, j, k) + along_y(i, j + 1, k) - along_y(i, j, k)) /
           options.spacing;
  });
}

TEST(Budgets, AdvectionKeepsTheMassOfEachTracer) {
  const Options options = test::small_options();
  test::SmallDomain domain(options);
  Air& air = domain.part.air();
  stir(air, options, domain.levels());
  EXPECT_GT(require_courant(air, options), 0.1);
  air.q.fill([](auto x, auto y, auto k, int c) {
    return std::max(0.0, test::noise(x + 50 * y + 2000 * k + 70000 * c));
  });
  const std::vector<float> before = air.q.read(0, 1);
  std::vector<double> masses;
  for (int c = 0; c < tracers; ++c)
    masses.push_back(sum(air.q, c, domain.levels().mass));
  heddle::TaskGraph graph;
  domain.part.add_advection(graph);
  graph.run(1);
  for (int c = 0; c < tracers; ++c) {
    const double mass = masses[static_cast<std::size_t>(c)];
    EXPECT_NEAR(sum(air.q_a, c, domain.levels().mass), mass, 1e-7 * mass) << c;
  }
  const std::vector<float> after = air.q_a.read(0, 1);
  const auto [n_x, n_y, n_z] = options.size;
  double changed = 0;
  for (std::int64_t n = 0; n < std::ssize(after); ++n) {
    const auto at = static_cast<std::size_t>(n);
    changed += std::abs(static_cast<double>(after[at] - before[at]));
    const std::int64_t x = n % n_x, y = n / n_x % n_y;
    const bool inner = x > 0 && x < n_x - 1 && y > 0 && y < n_y - 1;
    if (!inner) continue; // nothing is limited at the boundaries: they are set
    EXPECT_GE(after[at], -1e-7F) << x << ", " << y;
  }
  EXPECT_GT(changed / static_cast<double>(after.size()), 1e-3);
}

TEST(Budgets, WaterBelowZeroThatASchemeClipsIsCounted) {
  for (const Scheme scheme : {Scheme::kessler, Scheme::wsm3, Scheme::wsm5}) {
    Options options = test::small_options();
    options.scheme = scheme;
    test::SmallDomain domain(options);
    Air& air = domain.part.air();
    air.q_a.fill([](auto x, auto, auto k, int c) {
      if (c == Tracer::theta) return 300.0;
      return x == 3 && k == 4 && c != Tracer::vapour ? -1e-12 : 0;
    });
    heddle::TaskGraph graph;
    domain.part.add_microphysics(graph);
    graph.run(1);
    const auto clipped = air.clipped.view();
    EXPECT_EQ(clipped(3, 7, 0), 2) << static_cast<int>(scheme); // cloud and rain
    EXPECT_EQ(clipped(4, 7, 0), 0);
    graph.run(1);
    EXPECT_EQ(clipped(3, 7, 0), 2) << static_cast<int>(scheme);
  }
}

/// Moist air with clouds and rain in every other column.
void wet(Air& air, const Levels& levels) {
  if (air.groups() > 1)
    air.group(1).q_a.fill([&](auto x, auto y, auto k, int c) {
      const bool some = c < 2 && (x + y) % 2 == 0 && levels.height[static_cast<std::size_t>(k)] > 4000;
      return some ? 5e-4 * std::abs(test::noise(x + 23 * y + 400 * k + c)) : 0;
    });
  air.q_a.fill([&](auto x, auto y, auto k, int c) {
    const auto n = static_cast<std::size_t>(k);
    const double some = (x + y) % 2 == 0 && levels.height[n] < 9000 ? 1 : 0;
    if (c == Tracer::theta) return levels.theta[n] + 0.5 * test::noise(x + 40 * y + 900 * k);
    if (c == Tracer::vapour) return levels.vapour[n] * (1 + 0.3 * test::noise(x + 31 * y + 700 * k));
    return some * (c == Tracer::cloud ? 1e-3 : 2e-3) * std::abs(test::noise(x + 17 * y + 300 * k + c));
  });
}

/// Water in the air and on the ground (kg), per area of a column, before and after a step. weights: mass of
/// air per level (kg m-2).
void expect_budget(Scheme scheme, const std::function<std::vector<double>(const Levels&)>& weights) {
  Options options = test::small_options();
  options.scheme = scheme;
  options.time_step = 60;
  test::SmallDomain domain(options);
  Air& air = domain.part.air();
  wet(air, domain.levels());
  const std::vector<double> masses = weights(domain.levels());
  const auto water = [&] {
    double all = 0;
    for (const int c : {Tracer::vapour, Tracer::cloud, Tracer::rain})
      all += sum(air.q_a, c, masses);
    if (scheme == Scheme::wsm5)
      for (const int c : {Tracer::ice, Tracer::snow})
        all += sum(air.group(1).q_a, c % tracers, masses);
    return all;
  };
  const auto fallen = [&] {
    const std::vector<float> rain =
        air.rain_fallen.read(0); // as many copies of the plane as there are levels
    return std::accumulate(rain.begin(), rain.end(), 0.0) / static_cast<double>(options.size[2]);
  };
  const double before = water();
  heddle::TaskGraph graph;
  domain.part.add_microphysics(graph);
  graph.run(5);
  EXPECT_GT(fallen(), 1e-4 * before);
  EXPECT_NEAR(water() + fallen(), before, 1e-6 * before);
}

TEST(Budgets, WaterOfWsm3IsInTheAirOrOnTheGround) {
  expect_budget(Scheme::wsm3, [](const Levels& levels) { return levels.mass; });
}

TEST(Budgets, WaterOfWsm5IsInTheAirOrOnTheGround) {
  expect_budget(Scheme::wsm5, [](const Levels& levels) { return levels.mass; });
}

TEST(Budgets, WaterOfKesslerIsInTheAirOrOnTheGround) {
  // The fall of Kessler's scheme takes the distance to the next centre as the thickness of a level.
  expect_budget(Scheme::kessler, [](const Levels& levels) {
    std::vector<double> masses;
    for (std::size_t k = 0; k < levels.height.size(); ++k) {
      const std::size_t upper = std::min(k + 1, levels.height.size() - 1);
      masses.push_back(levels.density[k] * (levels.height[upper] - levels.height[upper - 1]));
    }
    return masses;
  });
}

} // namespace
} // namespace front
