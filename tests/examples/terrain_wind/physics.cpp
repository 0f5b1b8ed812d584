// SPDX-License-Identifier: Apache-2.0
// What the example computes must be wind: checked on ground on which the answer is known.
#include <array>
#include <cmath>
#include <vector>

#include "../../support/full_speed.hpp"
#include "inputs.hpp"
#include "solver.hpp"

namespace terrain_wind {
namespace {

struct Case {
  Domain domain;
  LogProfile wind{10, 100, 0.5};
  Units units{};
};

Case make_case(const std::filesystem::path& grid) {
  Options options;
  options.input = grid;
  options.whole = true;
  options.cell = 50;
  options.height = 1000;
  Case made;
  made.domain = make_domain(options);
  made.units = choose_units(50, made.wind(made.domain.top() - made.domain.base), 0);
  return made;
}

/// Mass that flows in less what flows out at outlet and top, and what flows in, lattice units.
std::array<double, 2> balance(const Part& air, const Domain& domain) {
  const auto rho = air.density().read();
  const auto u = air.velocity().read(0);
  const auto w = air.velocity().read(2);
  double in = 0;
  double out = 0;
  const auto momentum = [&](const std::vector<float>& velocity, std::int64_t i, std::int64_t j,
                            std::int64_t k) {
    const auto n = static_cast<std::size_t>(air.list().cell_of(i, j, k));
    return domain.is_fluid(i, j, k) ? static_cast<double>(rho[n] * velocity[n]) : 0.0;
  };
  for (std::int64_t j = 0; j < domain.ny; ++j) {
    for (std::int64_t k = 0; k < domain.nz; ++k) {
      in += momentum(u, 0, j, k);
      out += momentum(u, domain.nx - 1, j, k);
    }
    for (std::int64_t i = 1; i + 1 < domain.nx; ++i)
      out += momentum(w, i, j, domain.nz - 1);
  }
  return {in - out, in};
}

TEST(Physics, FlatGroundKeepsTheLogarithmicProfile) {
  const test::Folder folder;
  const Case made = make_case(folder.write("flat.asc", test::flat_grid(80, 12, 50, 0)));
  heddle::Ranks one;
  Solver solver(made.domain, made.wind, made.units, heddle::Memory::host, one);
  const Part& air = *solver.parts().front();
  solver.run(1000); // twice through the domain at the speed aloft
  solver.measure();
  EXPECT_LT(solver.highest_speed(), 1.1 * lattice_speed);
  const auto u = air.velocity().read(0);
  const auto w = air.velocity().read(2);
  for (std::int64_t k = 4; k < made.domain.nz; ++k) {
    const auto n = static_cast<std::size_t>(air.list().cell_of(made.domain.nx / 2, 6, k));
    const double expected = made.wind(made.domain.centre(k)) / made.units.speed();
    // From the fifth cell (225 m) on within 6 %: below it lies the layer that the no-slip ground has slowed
    // down on the 2 km from the inlet, and what it has displaced flows above it.
    EXPECT_NEAR(static_cast<double>(u[n]) / expected, 1, 0.06) << "layer " << k;
    EXPECT_LT(std::abs(static_cast<double>(w[n])), 0.05 * lattice_speed) << "layer " << k;
  }
}

TEST(Physics, WhatFlowsInFlowsOut) {
  NEEDS_FULL_SPEED();
  const test::Folder folder;
  const Case made = make_case(folder.write("hill.asc", test::ascii_grid(80, 40, 50, [](int column, int row) {
                                             const double r = std::hypot(column - 32, row - 19.5);
                                             return std::to_string(200 * std::exp(-r * r / 50));
                                           })));
  heddle::Ranks one;
  Solver solver(made.domain, made.wind, made.units, heddle::Memory::host, one);
  const Part& air = *solver.parts().front();
  solver.run(600);
  // Sound waves of the start still run to and fro: the mean over their periods counts.
  double rest = 0;
  double in = 0;
  for (int n = 0; n < 60; ++n) {
    solver.run(10);
    solver.measure();
    const auto [left, inflow] = balance(air, made.domain);
    rest += left;
    in += inflow;
  }
  EXPECT_GT(in, 0);
  EXPECT_LT(std::abs(rest), 0.01 * in);
}

TEST(Physics, TheWindIsFasterOverAHillAndSlowerBehindIt) {
  const test::Folder folder;
  const Case made = make_case(folder.write("hill.asc", test::ascii_grid(80, 40, 50, [](int column, int row) {
                                             const double r = std::hypot(column - 32, row - 19.5);
                                             return std::to_string(300 * std::exp(-r * r / 50));
                                           })));
  heddle::Ranks one;
  Solver solver(made.domain, made.wind, made.units, heddle::Memory::host, one);
  const Part& air = *solver.parts().front();
  solver.run(600);
  solver.measure();
  const auto u = air.velocity().read(0);
  const auto above = [&](std::int64_t i, double height) {
    const double z = made.domain.ground.at(i, 20) + height;
    const auto k = static_cast<std::int64_t>((z - made.domain.bottom) / made.domain.cell);
    return static_cast<double>(u[static_cast<std::size_t>(air.list().cell_of(i, 20, k))]) *
           made.units.speed();
  };
  EXPECT_GT(above(32, 150), 1.15 * made.wind(150));
  EXPECT_LT(above(40, 60), 0.7 * made.wind(60));
}

TEST(Physics, TheMeanIsTheMean) {
  const test::Folder folder;
  const Case made = make_case(folder.write("flat.asc", test::flat_grid(20, 12, 50, 0)));
  heddle::Ranks one;
  Solver solver(made.domain, made.wind, made.units, heddle::Memory::host, one);
  const Part& air = *solver.parts().front();
  std::vector<double> sum(static_cast<std::size_t>(air.list().count()), 0.0);
  for (int n = 0; n < 5; ++n) {
    solver.run(10);
    solver.measure();
    solver.sample();
    const auto u = air.velocity().read(0);
    for (std::size_t c = 0; c < sum.size(); ++c)
      sum[c] += static_cast<double>(u[c]) / 5;
  }
  const auto mean = air.mean().read(0);
  for (std::size_t c = 0; c < sum.size(); c += 7)
    EXPECT_NEAR(static_cast<double>(mean[c]), sum[c], 1e-6);
}

} // namespace
} // namespace terrain_wind
