// SPDX-License-Identifier: Apache-2.0
// Subsidence on the means of levels: means change as by subsidence on each cell, deviations do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "heddle/transport/thread_group.hpp"
#include "simulation.hpp"

namespace clouds {
namespace {

/// Air at rest that sinks through a theta_l of (z/100 m)^2 / 10 K, with a warm cell; after a step of 10 s.
Snapshot sunk(bool by_means, RungeKutta steps = RungeKutta::wicker_skamarock) {
  Case what = quiet();
  what.subsidence = {{0, 0}, {2005, -0.02}};
  what.subsides_wind = true;
  what.sinks_by_means = by_means;
  Simulation<double> s(what, {12, 10, 12}, stretched, Scheme::fifth, steps);
  State<double>& now = s.stepper.now();
  const auto z = [&](auto k) { return s.base.centre[static_cast<std::size_t>(k)] / 100; };
  now.u.fill([&](auto, auto, auto k, int) { return 1e-9 * z(k); }); // moves nothing
  now.th.fill([&](auto x, auto y, auto k, int) {
    return 1e-9 * (0.1 * z(k) * z(k) + (x == 3 && y == 4 && k == 5 ? 1 : 0)); // lifts nothing
  });
  now.q.fill([&](auto, auto, auto k, int) { return 1e-3 / (1 + z(k)); });
  s.run(1, 10);
  return s.look();
}

double mean_of(const std::vector<double>& values, std::size_t level) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(120 * level);
  return std::accumulate(first, first + 120, 0.0) / 120;
}

TEST(Sinking, ChangesMeansAsSubsidenceOfEachCellDoes) {
  for (const auto steps : {RungeKutta::wicker_skamarock, RungeKutta::williamson}) {
    const Snapshot local = sunk(false, steps), means = sunk(true, steps);
    for (std::size_t k = 0; k < 12; ++k) {
      EXPECT_NEAR(mean_of(local.th, k), mean_of(means.th, k), 1e-9 * 1e-6) << k;
      EXPECT_NEAR(mean_of(local.q, k), mean_of(means.q, k), 1e-3 * 1e-12) << k;
      EXPECT_NEAR(mean_of(local.u, k), mean_of(means.u, k), 1e-9 * 1e-6) << k;
    }
    EXPECT_LT(means.q[120 * 3], 1e-3 / (1 + 2.65) * (1 - 1e-6)); // dry air has come from above
  }
}

TEST(Sinking, LeavesDeviationsAlone) {
  const auto deviation = [](const Snapshot& air, std::size_t k) { // of the warm cell, or of the one below
    const std::size_t warm = 3 + 12 * (4 + 10 * k);
    return air.th[warm] - air.th[warm + 1];
  };
  const Snapshot local = sunk(false), means = sunk(true);
  EXPECT_NEAR(deviation(means, 5), 1e-9, 1e-14);
  EXPECT_NEAR(deviation(means, 4), 0, 1e-14);
  // w_ls dt / distance of what lies above comes down to the cell below, and leaves the warm one.
  const double z4 = 60 + 70 + 85 + 100 + 60.0, come = 0.02 * z4 / 2005 * 10 / 130;
  EXPECT_NEAR(deviation(local, 4), come * 1e-9, 1e-2 * come * 1e-9);
  EXPECT_LT(deviation(local, 5), 1e-9 * (1 - come));
}

template <class T> void expect_ranks(Case what) {
  what.sinks_by_means = true;
  const BaseState base = make_base_state(what, 24);
  const auto run = [&](int ranks) {
    Snapshot result;
    heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
      Stepper<T> stepper(what, base, {12, 10, 24}, Scheme::fifth, transport);
      begin(stepper, 5, 7);
      EXPECT_EQ(stepper.advance(30), 4);
      const Snapshot all = snapshot(stepper, transport, 0);
      if (transport.rank() == 0) result = all;
    });
    return result;
  };
  const Snapshot one = run(1);
  for (const int ranks : {2, 4}) {
    const Snapshot many = run(ranks);
    EXPECT_EQ(one.u, many.u) << what.name << ", " << ranks;
    EXPECT_EQ(one.th, many.th) << what.name << ", " << ranks;
    EXPECT_EQ(one.q, many.q) << what.name << ", " << ranks;
  }
}

TEST(Sinking, RanksHaveTheSameBits) {
  expect_ranks<float>(bomex());
  expect_ranks<double>(bomex());
}

TEST(Sinking, WaterThatCannotBecomeNegativeSinksToo) {
  Case what = rico();
  Simulation<double> local(what, {12, 10, 40});
  what.sinks_by_means = true;
  Simulation<double> means(what, {12, 10, 40});
  for (Simulation<double>* s : {&local, &means}) {
    begin(s->stepper, 2, 5);
    s->stepper.advance(60);
  }
  const Snapshot a = local.look(), b = means.look();
  EXPECT_GE(*std::ranges::min_element(b.q), 0);
  EXPECT_NE(a.q, b.q);
  const auto n = static_cast<std::ptrdiff_t>(120);
  for (std::ptrdiff_t k = 0; k < 40; ++k) // the fluxes of two flows that differ a little
    EXPECT_NEAR(std::accumulate(a.q.begin() + n * k, a.q.begin() + n * (k + 1), 0.0) / 120,
                std::accumulate(b.q.begin() + n * k, b.q.begin() + n * (k + 1), 0.0) / 120, 2e-8)
        << k;
}

} // namespace
} // namespace clouds
