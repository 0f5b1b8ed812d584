// SPDX-License-Identifier: Apache-2.0
// Laws that the steps keep: continuity, constants, mass, energy, symmetry, budgets; the same bits on ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <utility>
#include <vector>

#include "check.hpp"
#include "clock.hpp"
#include "constants.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/transport/thread_group.hpp"
#include "published.hpp"
#include "simulation.hpp"

namespace clouds {
namespace {

/// Relative change of kinetic and potential energy in 48 s of a stratified flow, with steps of this length.
/// Buoyancy is linear in theta: its work on the faces is what the same means of theta take from -sum h rho b
/// z.
double energy_drift(double length, RungeKutta steps) {
  Case what = quiet();
  what.boussinesq = true;
  what.theta = {{0, 300}, {2005, 303}};
  Simulation<double> s(what, {12, 10, 12}, stretched, Scheme::second, steps);
  s.stir();
  s.stepper.now().th.fill([&](auto x, auto y, auto z, int) {
    return s.base.theta[static_cast<std::size_t>(z)] - offset + test::noise(x + 70 * y + 900 * z);
  });
  const auto energies = [&] {
    const Snapshot now = s.look();
    double potential = 0;
    for (std::size_t n = 0; n < now.th.size(); ++n) {
      const std::size_t k = n / s.level_cells();
      potential -= s.base.height[k] * gravity / offset * now.th[n] * s.base.centre[k];
    }
    return std::pair(s.kinetic_energy(), potential);
  };
  const auto [kinetic, potential] = energies();
  s.run(static_cast<int>(std::lround(48 / length)), length);
  const auto [kinetic_then, potential_then] = energies();
  EXPECT_GT(std::abs(kinetic_then / kinetic - 1), 0.005); // it becomes potential energy
  return (kinetic_then + potential_then - kinetic - potential) / kinetic;
}

TEST(Dynamics, KineticAndPotentialEnergyTogetherStayButForTheTimeStep) {
  const auto order = [](RungeKutta steps, double length) {
    const double coarse = energy_drift(length, steps), fine = energy_drift(length / 2, steps);
    EXPECT_LT(std::abs(coarse), 1e-2);
    return std::log2(std::abs(coarse / fine));
  };
  EXPECT_GT(order(RungeKutta::wicker_skamarock, 6), 1.9);
  for (const double length : {8, 4, 2})
    EXPECT_GT(order(RungeKutta::williamson, length), 2.9) << length;
}

TEST(Dynamics, AThousandStepsInSinglePrecisionKeepTheMassOfAScalar) {
  const heddle::ThreadLimit one(1); // so few cells
  Simulation<float> s(quiet(), {12, 6, 12}, stretched);
  s.stir();
  s.stepper.now().q.fill(
      [](auto x, auto y, auto z, int) { return 1e-3 * (1 + test::noise(x + 70 * y + 900 * z)); });
  const double before = s.mass_of(s.look().q);
  s.run(1000, 5);
  EXPECT_NEAR(s.mass_of(s.look().q) / before, 1, 1e-6);
}

/// Level means of theta_l and u after a minute of BOMEX in another frame.
Sample in_frame(double u_frame, double v_frame) {
  Case what = bomex();
  what.u_frame = u_frame;
  what.v_frame = v_frame;
  Simulation<double> s(what, {12, 12, 24});
  begin(s.stepper, 5, 4);
  s.stepper.advance(60);
  return s.measure(60);
}

TEST(Dynamics, TheFrameChangesMeansByTheErrorOfAdvectionAlone) {
  const Sample given = in_frame(-8, 0), other = in_frame(-4, 1);
  double turned = 0;
  for (std::size_t k = 0; k < 24; ++k) {
    EXPECT_NEAR(given.centres[centre::u][k], other.centres[centre::u][k], 2e-3) << k;
    EXPECT_NEAR(given.centres[centre::v][k], other.centres[centre::v][k], 2e-4) << k;
    EXPECT_NEAR(given.centres[centre::theta_l][k], other.centres[centre::theta_l][k], 1e-3) << k;
    turned = std::max(turned, std::abs(given.centres[centre::v][k]));
  }
  EXPECT_GT(turned, 1e-3); // by the Coriolis force, of which the frame has a part
  EXPECT_NEAR(given.faces[face::u_subgrid][0], other.faces[face::u_subgrid][0], 1e-3);
}

TEST(Dynamics, SaturatedAirOfTwoConstantsIsNeutralAndStaysAtRest) {
  Case what = moist_bubble();
  what.theta_bump = nullptr;
  Simulation<double> s(what, {12, 6, 20});
  begin(s.stepper, 1, 10);
  s.stepper.advance(1000);
  const Snapshot now = s.look();
  EXPECT_LT(largest(now.w), 1e-3);
  for (std::size_t n = 0; n < now.cloud.size(); ++n)
    ASSERT_NEAR(now.cloud[n], s.base.cloud[n / s.level_cells()], 1e-7);
  EXPECT_GT(s.base.cloud[0], 7e-3);
  EXPECT_GT(s.base.cloud[19], 0.018);
}

TEST(Dynamics, AMoistBubbleIsAsBuoyantAsTheDryOne) {
  const Case what = moist_bubble();
  Simulation<double> s(what, {40, 6, 20});
  s.stepper.start(1);
  const Snapshot now = s.look();
  double most = 0;
  for (std::size_t n = 0; n < now.th.size(); ++n) {
    const std::size_t k = n / s.level_cells();
    const double theta = offset + now.th[n] + vaporisation / (heat_dry * s.base.exner[k]) * now.cloud[n];
    const double tv = theta * (1 + lightness * now.q[n] - (1 + lightness) * now.cloud[n]);
    const double bump =
        what.theta_bump((static_cast<double>(n % 40) + 0.5) * 500, 0, s.base.centre[k]) / offset;
    ASSERT_NEAR(tv / s.base.tv[k] - 1, bump, 1e-6) << k;
    most = std::max(most, bump);
  }
  EXPECT_GT(most, 1.5 / offset);
}

template <class T> void expect_continuity(double tolerance) {
  Simulation<T> s(quiet(), {12, 10, 12}, stretched);
  s.stir();
  s.run(5, 5);
  const Snapshot now = s.look();
  const double speed = largest(now.u);
  EXPECT_GT(speed, 0.1);
  EXPECT_LT(s.stepper.divergence(), tolerance * speed);
  for (std::size_t k = 0; k < s.base.levels(); ++k) {
    double sum = 0;
    for (std::size_t n = 0; n < s.level_cells(); ++n)
      sum += now.w[k * s.level_cells() + n];
    EXPECT_LT(std::abs(sum) / static_cast<double>(s.level_cells()), tolerance * speed) << k;
  }
}

TEST(Dynamics, NoMassGathersAnywhere) {
  expect_continuity<double>(1e-14);
}

TEST(Dynamics, NoMassGathersAnywhereInSinglePrecision) {
  expect_continuity<float>(1e-6);
}

TEST(Dynamics, ConstantsStayAndTheMassOfAScalarToo) {
  Simulation<double> s(quiet(), {12, 10, 12}, stretched);
  s.stir();
  s.stepper.now().th.fill([](auto, auto, auto, int) { return 3.0; });
  s.stepper.now().q.fill(
      [](auto x, auto y, auto z, int) { return 1e-3 * (1 + test::noise(x + 70 * y + 900 * z)); });
  const Snapshot before = s.look();
  s.run(5, 5);
  const Snapshot after = s.look();
  for (const double value : after.th)
    ASSERT_NEAR(value, 3, 1e-12);
  EXPECT_GT(std::abs(after.q[100] - before.q[100]), 1e-6);
  EXPECT_NEAR(s.mass_of(after.q) / s.mass_of(before.q), 1, 1e-13);
}

/// Relative change of the kinetic energy in a time, with steps of this length.
double drift(Scheme scheme, double length, RungeKutta steps = RungeKutta::wicker_skamarock,
             double time = 48) {
  Case what = quiet();
  what.boussinesq = false;
  Simulation<double> s(what, {12, 10, 12}, stretched, scheme, steps);
  s.stir();
  const double before = s.kinetic_energy();
  s.run(static_cast<int>(std::lround(time / length)), length);
  return s.kinetic_energy() / before - 1;
}

TEST(Dynamics, MeansOfTwoCellsKeepKineticEnergyButForTheTimeStep) {
  const double coarse = drift(Scheme::second, 6), fine = drift(Scheme::second, 3);
  EXPECT_LT(std::abs(coarse), 1e-2);
  EXPECT_GT(std::log2(std::abs(coarse / fine)), 1.9) << coarse << ", " << fine;
}

TEST(Dynamics, WilliamsonsStepsAreOfThirdOrder) {
  const auto of = [](double length) { return drift(Scheme::second, length, RungeKutta::williamson); };
  const double coarse = of(4), fine = of(2);
  EXPECT_LT(std::abs(coarse), 1e-3);
  EXPECT_GT(std::log2(std::abs(coarse / fine)), 2.9) << coarse << ", " << fine;
}

TEST(Dynamics, ShortStepsKeepKineticEnergyToAMillionth) {
  Simulation<double> first(quiet(), {12, 10, 12}, stretched);
  first.stir();
  EXPECT_NEAR(first.stepper.survey().advection, 0.1, 0.05); // the Courant number of steps of 1 s
  for (const auto steps : {RungeKutta::wicker_skamarock, RungeKutta::williamson})
    EXPECT_LT(std::abs(drift(Scheme::second, 1, steps, 100)), 1e-6) << static_cast<int>(steps);
}

TEST(Dynamics, WilliamsonsStepsRefuseTheLimiter) {
  const Case what = rico();
  EXPECT_THROW(Simulation<float>(what, {12, 12, 12}, std::vector<double>(12, 300), Scheme::fifth,
                                 RungeKutta::williamson),
               heddle::Error);
}

TEST(Dynamics, UpwindFluxesTakeKineticEnergy) {
  EXPECT_LT(drift(Scheme::fifth, 3), -1e-2);
}

TEST(Dynamics, ConstantViscosityDampsAWaveAsTheHeatEquationSays) {
  Case what = quiet();
  what.viscosity = 75;
  what.per_prandtl = 2;
  Simulation<double> s(what, {12, 10, 12});
  const auto wave = [](auto x) { return std::sin(2 * std::numbers::pi * static_cast<double>(x) / 12); };
  s.stepper.now().v.fill([&](auto x, auto, auto, int) { return wave(x); });
  s.stepper.now().th.fill([&](auto x, auto, auto, int) { return 1e-8 * wave(x); }); // lifts nothing
  s.run(10, 10);
  const Snapshot end = s.look();
  const double k2 = std::pow(2 * std::sin(std::numbers::pi / 12) / 100, 2); // of differences over 100 m
  for (std::size_t x = 0; x < 12; ++x) {
    EXPECT_NEAR(end.v[x + 12 * 35], wave(x) * std::exp(-75 * k2 * 100), 1e-6);
    EXPECT_NEAR(end.th[x + 12 * 35], 1e-8 * wave(x) * std::exp(-2 * 75 * k2 * 100), 1e-14);
  }
}

TEST(Dynamics, TheFrontOfColdAirIsWhereItIsOneDegreeColder) {
  Snapshot end;
  end.cells = {8, 1, 1};
  end.th = {0, 0, -2, -5, -5, -4, -2, 2};
  EXPECT_DOUBLE_EQ(front(density_current(), end), (6.5 + 0.25 - 4) * 51200 / 8);
  end.th.assign(8, 0);
  EXPECT_EQ(front(density_current(), end), 0);
}

TEST(Dynamics, RotorsAreWhereAirTurns) {
  const Case what = density_current();
  const BaseState base = make_base_state(what, 64);
  const auto count = [&](std::initializer_list<double> centres) { // m, from the middle; 1200 m high
    Snapshot end;
    end.cells = {512, 1, 64};
    for (std::size_t k = 0; k < 64; ++k)
      for (std::size_t x = 0; x < 512; ++x) {
        double u = 0; // rho u = d/dz of bumps that are 800 m wide
        for (const double centre : centres) {
          const double dx = (static_cast<double>(x) - 256) * 100 - centre, dz = base.centre[k] - 1200;
          u -= 2e4 * 2 * dz / 6.4e5 * std::exp(-(dx * dx + dz * dz) / 6.4e5) / base.density[k];
        }
        end.u.push_back(u);
      }
    return rotors(what, base, end);
  };
  EXPECT_EQ(count({}), 0);
  EXPECT_EQ(count({8000, 10900, 12900}), 3);
  EXPECT_EQ(count({-12900, -8000, 8000, 12900}), 2);
}

/// A warm bubble about a place (m) in a stratified air, after a hundred steps.
Snapshot risen(double at_x, double at_y) {
  Case what = quiet();
  what.size[1] = what.size[0];
  what.theta = {{0, 300}, {2005, 304}};
  what.turbulence = true;
  what.theta_bump = [at_x, at_y](double x, double y, double z) {
    return 0.5 * std::exp(-(std::pow(x - at_x, 2) + std::pow(y - at_y, 2) + std::pow(z - 500, 2)) / 4e4);
  };
  Simulation<double> s(what, {12, 12, 12}, stretched);
  s.stepper.start(1);
  s.run(100, 5);
  return s.look();
}

TEST(Dynamics, AFlowThatIsMirroredOrTurnedStaysSo) {
  const Snapshot flow = risen(430, 610);
  EXPECT_GT(largest(flow.w), 0.1);
  EXPECT_GT(largest(flow.u), 0.1);
  const auto expect_image = [&](const Snapshot& image, auto place) { // of the cell (x, y)
    for (std::size_t n = 0; n < flow.w.size(); ++n) {
      const auto [x, y] = place(n % 12, n / 12 % 12);
      const std::size_t there = x + 12 * y + n / 144 * 144;
      ASSERT_NEAR(image.w[there], flow.w[n], 1e-12);
      ASSERT_NEAR(image.th[there], flow.th[n], 1e-12);
    }
  };
  expect_image(risen(1200 - 430, 610), [](auto x, auto y) { return std::pair(11 - x, y); });
  expect_image(risen(430, 1200 - 610), [](auto x, auto y) { return std::pair(x, 11 - y); });
  expect_image(risen(610, 430), [](auto x, auto y) { return std::pair(y, x); });
}

TEST(Dynamics, HeatOfAConvectiveLayerIsWhatTheGroundGave) {
  Case what = convective_layer();
  what.sponge_above = 1e9; // it would take some
  Simulation<double> s(what, {12, 12, 24});
  begin(s.stepper, 7, 2);
  History history, balance;
  double time = 0;
  history.add(s.measure(time));
  while (time < 1200) {
    s.stepper.advance(10);
    time += 10;
    if (time > 600) balance.add(s.measure(time));
  }
  EXPECT_LT(flux_imbalance(what, s.base, balance, balance.samples()[0].time, 1200).theta_l, 0.01);
  const Sample& end = balance.samples().back();
  history.add(end);
  EXPECT_LT(heat_budget(what, s.base, history), 1e-11);
  EXPECT_GT(end.numbers[series::w_largest], 0.3);
  EXPECT_GT(end.numbers[series::kinetic_energy], 1);
  EXPECT_GT(largest(snapshot(s.stepper, s.alone, time).viscosity), 1);
}

TEST(Dynamics, SaturatedAirHasTheCloudWaterOfBisection) {
  Case what = bomex();
  what.water = 18e-3; // saturated from some height on
  what.water_noise = 1e-3;
  Simulation<double> s(what, {12, 10, 30});
  s.stepper.start(3);
  const Snapshot now = s.look();
  double most = 0;
  for (std::size_t n = 0; n < now.q.size(); ++n) {
    const std::size_t k = n / s.level_cells();
    const double cold = s.base.exner[k] * (offset + now.th[n]), warming = vaporisation / heat_dry;
    double low = cold, high = cold + warming * now.q[n];
    for (int round = 0; round < 60; ++round) {
      const double t = (low + high) / 2;
      (t - cold > warming * std::max(0.0, now.q[n] - saturation_humidity(t, s.base.pressure[k])) ? high
                                                                                                 : low) = t;
    }
    ASSERT_NEAR(now.cloud[n], (low - cold) / warming, 3e-9) << k;
    most = std::max(most, now.cloud[n]);
  }
  EXPECT_GT(most, 2e-3);
}

template <class T> void expect_ranks(const Case& what) {
  const BaseState base = make_base_state(what, 24);
  const auto run = [&](int ranks) {
    Snapshot result;
    heddle::ThreadGroup(ranks).run([&](heddle::Transport& transport) {
      Stepper<T> stepper(what, base, {12, 12, 24}, Scheme::fifth, transport);
      begin(stepper, 5, 7);
      EXPECT_EQ(stepper.advance(30), 4);
      const Snapshot all = snapshot(stepper, transport, 0);
      if (transport.rank() == 0) result = all;
    });
    return result;
  };
  const Snapshot one = run(1);
  EXPECT_GT(largest(one.w), 1e-4);
  for (const int ranks : {2, 4}) {
    const Snapshot many = run(ranks);
    EXPECT_EQ(one.u, many.u) << what.name << ", " << ranks;
    EXPECT_EQ(one.w, many.w) << what.name << ", " << ranks;
    EXPECT_EQ(one.th, many.th) << what.name << ", " << ranks;
    EXPECT_EQ(one.viscosity, many.viscosity) << what.name << ", " << ranks;
  }
}

TEST(Dynamics, RanksHaveTheSameBits) {
  expect_ranks<float>(bomex());
  expect_ranks<double>(bomex());
  expect_ranks<float>(convective_layer());
  expect_ranks<double>(convective_layer());
}

struct StepLength {
  double length, allowed;
};

/// What the clock makes of the time until the end and the step before.
StepLength next_step(double last, double longest, double rest, const Rates& rates) {
  heddle::Buffer<double> advection(1), diffusion(1);
  advection.span()[0] = rates.advection;
  diffusion.span()[0] = rates.diffusion;
  Clock<double> clock(longest, advection, diffusion);
  clock.set({.rest = rest, .allowed = last});
  heddle::Stream stream;
  clock(stream);
  const auto now = clock.read();
  const double length = clock.length().span()[0];
  EXPECT_EQ(now.rest, rest - length);
  return {length, now.allowed};
}

TEST(Steps, ThatAreCutForASampleDoNotSlowDownThoseAfterIt) {
  double last = 10;
  int steps = 0;
  for (int sample = 0; sample < 10; ++sample)
    for (double rest = 25; rest > 0; ++steps) { // 10, 7.5 and 7.5
      const auto [length, allowed] = next_step(last, 10, rest, {0.01, 0});
      last = allowed;
      rest -= length;
    }
  EXPECT_EQ(steps, 30);
}

TEST(Steps, HaveTheirLimits) {
  EXPECT_DOUBLE_EQ(next_step(2, 10, 1000, {0.01, 0}).length, 2.1);
  EXPECT_DOUBLE_EQ(next_step(20, 10, 1000, {0.01, 0}).length, 10);
  EXPECT_DOUBLE_EQ(next_step(20, 10, 1000, {0.5, 0}).length, 2);
  EXPECT_DOUBLE_EQ(next_step(20, 10, 1000, {0.01, 0.1}).length, 4);
  EXPECT_DOUBLE_EQ(next_step(20, 10, 15, {0.01, 0}).length, 7.5);
  EXPECT_DOUBLE_EQ(next_step(20, 10, 7, {0.01, 0}).length, 7);
  EXPECT_THROW((void)next_step(20, 10, 100, {std::nan(""), 0}), heddle::Error);
  EXPECT_THROW((void)next_step(20, 10, 100, {1e5, 0}), heddle::Error);
}

TEST(Steps, AreLaunchedInBatchesThatDoNotPassTheEnd) {
  heddle::Buffer<double> none(1);
  const Clock<double> clock(10, none, none);
  EXPECT_EQ(clock.steps({.rest = 60, .allowed = 10}), 6);
  EXPECT_EQ(clock.steps({.rest = 60.1, .allowed = 10}), 7);
  EXPECT_EQ(clock.steps({.rest = 60, .allowed = 4}), 12); // 4.2 + 4.41 + ... = 66.9, without the last 59.7
  EXPECT_EQ(clock.steps({.rest = 1, .allowed = 4}), 1);
  EXPECT_EQ(clock.steps({.rest = 0, .allowed = 4}), 0);
}

/// A flow whose steps change in length, after a time.
Snapshot after(double time, double part, bool one_by_one) {
  Case what = quiet();
  what.longest_step = 30;
  what.theta_bump = [](double x, double y, double z) {
    return 3 * std::exp(-(std::pow(x - 500, 2) + std::pow(y - 500, 2) + std::pow(z - 500, 2)) / 4e4);
  };
  Simulation<float> s(what, {12, 10, 12}, stretched);
  begin(s.stepper, 1, 4);
  std::int64_t steps = 0;
  if (one_by_one) {
    heddle::Buffer<float> advection(1), diffusion(1);
    Clock<float> clock(what.longest_step, advection, diffusion);
    heddle::Stream stream;
    for (double last = 4, begun = 0; begun < time; begun += part) {
      clock.set({.rest = part, .allowed = last});
      for (; clock.read().rest > 0; ++steps) {
        const Rates rates = s.stepper.survey();
        advection.span()[0] = static_cast<float>(rates.advection);
        clock(stream);
        s.stepper.step(static_cast<double>(clock.length().span()[0]));
      }
      last = clock.read().allowed;
    }
  } else {
    bool odd = false; // some part begins in the state of odd steps
    for (double begun = 0; begun < time; begun += part) {
      odd = odd || steps % 2 == 1;
      steps += s.stepper.advance(part);
    }
    EXPECT_TRUE(odd);
  }
  EXPECT_GT(steps, 10);
  return s.look();
}

TEST(Steps, InBatchesAreThoseOneByOne) {
  const Snapshot batches = after(150, 50, false), single = after(150, 50, true);
  EXPECT_GT(largest(single.w), 1);
  EXPECT_EQ(batches.w, single.w);
  EXPECT_EQ(batches.th, single.th);
}

} // namespace
} // namespace clouds
