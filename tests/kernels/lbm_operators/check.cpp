// SPDX-License-Identifier: Apache-2.0
// Operators in moment space: the viscosity of a decaying shear wave, and the profile of a shear-thinning
// fluid.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "../../support/full_speed.hpp"
#include "lbm_operators.h"
#include "periodic_box.hpp"

namespace {

using test::PeriodicBox;
using test::Velocity;
using Box = PeriodicBox<double>;
using Cell = std::array<std::int64_t, 3>;
using Step = std::function<int(Box& f, Box& next, double omega)>;

struct Lattice {
  int rank;
  std::vector<Velocity> velocities;
  std::array<double, 4> weights; ///< by the number of moving components

  double weight(std::size_t q) const {
    const Velocity& c = velocities[q];
    return weights[static_cast<std::size_t>(std::abs(c[0]) + std::abs(c[1]) + std::abs(c[2]))];
  }
};

Lattice d3q19() {
  return {3, {test::d3q19.begin(), test::d3q19.end()}, {1.0 / 3, 1.0 / 18, 1.0 / 36, 0}};
}

Lattice d3q27() {
  Lattice lattice = d3q19();
  for (const Velocity& c : {Velocity{1, 1, 1}, Velocity{1, 1, -1}, Velocity{1, -1, 1}, Velocity{1, -1, -1}}) {
    lattice.velocities.push_back(c);
    lattice.velocities.push_back({-c[0], -c[1], -c[2]});
  }
  lattice.weights = {8.0 / 27, 2.0 / 27, 1.0 / 54, 1.0 / 216};
  return lattice;
}

Lattice d2q9() {
  return {2,
          {{0, 0, 0},
           {1, 0, 0},
           {-1, 0, 0},
           {0, 1, 0},
           {0, -1, 0},
           {1, 1, 0},
           {-1, -1, 0},
           {1, -1, 0},
           {-1, 1, 0}},
          {4.0 / 9, 1.0 / 9, 1.0 / 36, 0}};
}

template <class Kernel> Step with_omega(Kernel kernel) {
  return [kernel](Box& f, Box& next, double omega) {
    return kernel(f.data(), f.extents(), f.strides(), next.data(), next.extents(), next.strides(), omega);
  };
}

/// The viscosity of a wave u_y = sin(k x) over the one that omega stands for, from the decay of its
/// amplitude.
double viscosity_ratio(const Lattice& lattice, const Step& step, double nu, int length) {
  const double k = 2 * std::numbers::pi / length;
  const int components = static_cast<int>(lattice.velocities.size());
  Box f({length, 1, 1}, components, lattice.rank);
  Box next({length, 1, 1}, components, lattice.rank);
  const auto momentum = [&] {
    double sum = 0;
    f.for_cells([&](const Cell& cell) {
      for (std::size_t q = 0; q < lattice.velocities.size(); ++q)
        sum += f.at(cell, static_cast<int>(q)) * lattice.velocities[q][1] *
               std::sin(k * static_cast<double>(cell[0]));
    });
    return sum;
  };
  f.for_cells([&](const Cell& cell) {
    const double u = 1e-3 * std::sin(k * static_cast<double>(cell[0]));
    for (std::size_t q = 0; q < lattice.velocities.size(); ++q) {
      const double cu = lattice.velocities[q][1] * u;
      f.at(cell, static_cast<int>(q)) = lattice.weight(q) * (3 * cu + 4.5 * cu * cu - 1.5 * u * u);
    }
  });
  const int last = 4 * length * length; // the populations start without stress: let that decay first
  double early = 0;
  for (int s = 0; s <= last; ++s) {
    if (s == last / 2) early = momentum();
    if (s == last) return std::log(early / momentum()) / (last - last / 2) / (k * k * nu);
    f.fill_ghosts();
    EXPECT_EQ(step(f, next, 1 / (3 * nu + 0.5)), 0);
    std::swap(f, next);
  }
  return 0;
}

/// The ratio for a wave of 32 cells, by the linearised operator (tests/generator/lbm); KBC has none, and
/// lies between 1.0028, all higher rates 1, and 1.0032, one rate.
struct Operator {
  const char* name;
  Lattice lattice;
  Step step;
  double expected;
};

TEST(Operators, ShearWaveDecaysWithTheViscosity) {
  const Step mrt = [](Box& f, Box& next, double omega) {
    return lbm_operators_mrt_f64(f.data(), f.extents(), f.strides(), next.data(), next.extents(),
                                 next.strides(), omega, 1.1, 1.1);
  };
  const std::vector<Operator> operators = {
      {"mrt", d3q19(), mrt, 1.0030},
      {"central", d3q19(), with_omega(lbm_operators_central_f64), 1.0028},
      {"cumulant", d3q27(), with_omega(lbm_operators_cumulant_f64), 1.0028},
      {"parametrised", d3q27(), with_omega(lbm_operators_parametrised_f64), 1.00004},
      {"entropic", d2q9(), with_omega(lbm_operators_entropic_f64), 1.0028},
      {"entropic_27", d3q27(), with_omega(lbm_operators_entropic_27_f64), 1.0030}};
  for (const Operator& collide : operators) {
    const double ratio = viscosity_ratio(collide.lattice, collide.step, 0.01, 32);
    RecordProperty(std::string(collide.name) + "_viscosity", std::to_string(ratio));
    EXPECT_NEAR(ratio, collide.expected, 2e-4) << collide.name;
  }
}

// With sanitizers the test above runs these kernels.
TEST(Operators, ParametrisedCumulantsAreOfFourthOrder) {
  NEEDS_FULL_SPEED();
  const Step step = with_omega(lbm_operators_parametrised_f64);
  const Step all_one = with_omega(lbm_operators_cumulant_f64);
  const auto order = [](const Step& collide, int length) {
    const double coarse = viscosity_ratio(d3q27(), collide, 1e-3, length) - 1;
    const double fine = viscosity_ratio(d3q27(), collide, 1e-3, 2 * length) - 1;
    return std::log2(std::abs(coarse / fine));
  };
  EXPECT_GT(order(step, 32), 3.5);
  EXPECT_NEAR(order(all_one, 32), 2, 0.1);
}

/// Reverse what left through the walls below and above: half-way bounce-back.
void bounce_back(const Lattice& lattice, Box& f) {
  const std::int64_t top = f.extent(1);
  for (int q = 1; q < static_cast<int>(lattice.velocities.size()); ++q) {
    const int c_x = lattice.velocities[static_cast<std::size_t>(q)][0];
    const int c_y = lattice.velocities[static_cast<std::size_t>(q)][1];
    for (std::int64_t x = 0; x < f.extent(0) && c_y != 0; ++x)
      f.at(x + c_x, c_y < 0 ? -1 : top, 0, test::opposite(q)) = f.at(x, c_y < 0 ? 0 : top - 1, 0, q);
  }
}

TEST(Operators, PowerLawPoiseuille) {
  // u = u_m (1 - |y / h|^((n + 1) / n)), u_m = n / (n + 1) (F / K)^(1 / n) h^((n + 1) / n)
  constexpr int height = 16;
  constexpr double half = height / 2.0;
  constexpr double top = 0.02;
  const Lattice lattice = d2q9();
  for (const double n : {0.5, 0.75, 1.5}) {
    const double nu = 0.02; // at the mean shear rate
    const double consistency = nu * std::pow(top / half, 1 - n);
    const double force = consistency * std::pow(top * (n + 1) / n / std::pow(half, (n + 1) / n), n);
    Box f({1, height, 1}, 9, 2);
    Box next({1, height, 1}, 9, 2);
    for (int s = 0; s < 40000; ++s) {
      f.fill_ghosts();
      bounce_back(lattice, f);
      ASSERT_EQ(lbm_operators_power_law_f64(f.data(), f.extents(), f.strides(), next.data(), next.extents(),
                                            next.strides(), consistency, n, force, 1, 1e-3),
                0);
      std::swap(f, next);
    }
    double difference = 0;
    double whole = 0;
    for (std::int64_t y = 0; y < height; ++y) {
      double u = -force / 2; // after the collision: the whole force is in the momentum
      for (int q = 0; q < 9; ++q)
        u += f.at(0, y, 0, q) * lattice.velocities[static_cast<std::size_t>(q)][0];
      const double distance = std::abs(static_cast<double>(y) + 0.5 - half) / half;
      const double exact = top * (1 - std::pow(distance, (n + 1) / n));
      difference += (u - exact) * (u - exact);
      whole += exact * exact;
    }
    const double error = std::sqrt(difference / whole);
    RecordProperty("power_law_" + std::to_string(n), std::to_string(error));
    EXPECT_LT(error, 0.01) << "n = " << n;
  }
}

} // namespace
