// SPDX-License-Identifier: Apache-2.0
// The solve on cells that are no cubes: second order, no divergence anywhere, the same in both precisions,
// warm starts.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "heddle/core/error.hpp"
#include "wind.hpp"

namespace city_wind {
namespace {

Sensor sensor(double direction) {
  return {"test", 0, {10, 10}, 10, 5, direction, Profile::logarithmic, 0.1};
}

/// Largest error of lambda for the right-hand side of sin sin cos, which is 0 in the outermost cells and
/// level at the ground.
enum class Solver { relaxation, multigrid };

double manufactured_error(Solver solver, std::int64_t n, double stretch) {
  const double first = stretch > 1 ? 30 * (stretch - 1) / (std::pow(stretch, static_cast<double>(n)) - 1)
                                   : 30 / static_cast<double>(n);
  const Grid grid = make_grid(n, n + n / 4, n, 40.0 / static_cast<double>(n),
                              80.0 / static_cast<double>(n + n / 4), first, stretch);
  Wind<double> wind(grid, Ground(grid), {}, heddle::Memory::host);
  wind.guess(Inflow({sensor(270)}), {});
  const std::array<double, 3> wave{std::numbers::pi / (grid.length() - grid.dx),
                                   std::numbers::pi / (grid.width() - grid.dy),
                                   std::numbers::pi / 2 / grid.height.back()};
  const auto exact = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return std::sin(wave[0] * static_cast<double>(i) * grid.dx) *
           std::sin(wave[1] * static_cast<double>(j) * grid.dy) *
           std::cos(wave[2] * grid.height[static_cast<std::size_t>(k)]);
  };
  const double eigenvalue = wave[0] * wave[0] + wave[1] * wave[1] + wave[2] * wave[2];
  const auto open = wind.open.view();
  const auto right = wind.right.view();
  const auto phi = wind.phi.view();
  const auto inner_cells =
      [&](auto&& visit) { // (i, j, k) of the grid is (i - 1, j - 1, k) of the inner cells
        for (std::int64_t k = 0; k < n - 1; ++k)
          for (std::int64_t j = 1; j < grid.ny - 1; ++j)
            for (std::int64_t i = 1; i < n - 1; ++i)
              visit(i, j, k);
      };
  inner_cells([&](auto i, auto j, auto k) {
    EXPECT_NE(open(i - 1, j - 1, k), 0);
    right(i - 1, j - 1, k) = -eigenvalue * exact(i, j, k);
  });
  if (solver == Solver::multigrid) {
    const heddle::Solution found = wind.solve_with_multigrid(1e-11, 200);
    EXPECT_TRUE(found.converged()) << to_string(found);
    EXPECT_LE(found.cycles, 30); // of cells that are up to 5 times longer than high
  } else {
    EXPECT_TRUE(wind.solve(1e-11, 20000, wind.best_omega()).converged());
  }
  double error = 0;
  inner_cells([&](auto i, auto j, auto k) {
    error = std::max(error, std::abs(phi(i - 1, j - 1, k) - exact(i, j, k)));
  });
  return error;
}

TEST(Solution, IsOfSecondOrderOnLongCells) {
  for (const Solver solver : {Solver::relaxation, Solver::multigrid})
    EXPECT_NEAR(manufactured_error(solver, 16, 1) / manufactured_error(solver, 32, 1), 4, 0.5);
}

TEST(Solution, IsOfSecondOrderOnLevelsThatGrow) {
  for (const Solver solver : {Solver::relaxation, Solver::multigrid})
    EXPECT_NEAR(manufactured_error(solver, 16, 1.1) / manufactured_error(solver, 32, std::sqrt(1.1)), 4, 0.6);
}

/// Houses on cells of 4 m x 3 m, levels from 1.5 m, wind from the south-south-west.
template <class T> struct Street {
  Street()
      : grid(make_grid(48, 40, 24, 4, 3, 1.5, 1.08)), ground(grid),
        buildings{make_building("a", {{60, 40}, {84, 40}, {84, 64}, {60, 64}, {60, 40}}, 18),
                  make_building("b", {{100, 36}, {130, 50}, {118, 74}, {90, 60}, {100, 36}}, 12)},
        wind(grid, ground, buildings, heddle::Memory::host) {
    check_buildings(buildings, grid, ground);
    blow(205);
  }
  void blow(double direction) {
    const Inflow inflow({sensor(direction)});
    wind.guess(inflow, make_zones(grid, ground, buildings, inflow, {}, 0.1));
  }
  Grid grid;
  Ground ground;
  std::vector<Building> buildings;
  Wind<T> wind;
};

TEST(Solution, HasNoDivergenceAnywhere) {
  Street<double> street;
  EXPECT_GT(street.wind.largest_divergence(), 0.1);
  EXPECT_TRUE(street.wind.solve(1e-13, 20000, street.wind.best_omega()).converged());
  street.wind.correct();
  EXPECT_LT(street.wind.largest_divergence(), 2e-13);
  // Once more from the faces, by hand: all cells of air but the outermost, the top layer below the lid
  // included.
  const auto [u, v, w] = std::tuple(street.wind.u.view(), street.wind.v.view(), street.wind.w.view());
  double worst = 0;
  int cells = 0;
  for (std::int64_t k = 0; k < 23; ++k)
    for (std::int64_t j = 1; j < 39; ++j)
      for (std::int64_t i = 1; i < 47; ++i) {
        if (street.wind.icell.view()(i, j, k) == 0) continue;
        worst =
            std::max(worst, std::abs((u(i + 1, j, k) - u(i, j, k)) / 4 + (v(i, j + 1, k) - v(i, j, k)) / 3 +
                                     (w(i, j, k + 1) - w(i, j, k)) /
                                         street.grid.thickness[static_cast<std::size_t>(k)]));
        ++cells;
      }
  EXPECT_LT(worst, 2e-13);
  EXPECT_GT(cells, 38000);
}

/// lambda of all cells by Gaussian elimination, from flags, sizes of cells and faces of the first guess
/// alone.
std::vector<double> direct(const Grid& grid, const Wind<double>& wind) {
  const auto solid = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const int flag = k < 0 ? 2 : wind.icell.view()(i, j, k);
    return flag == 0 || flag == 2;
  };
  const auto outermost = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return i == 0 || j == 0 || i == grid.nx - 1 || j == grid.ny - 1 || k == grid.nz - 1;
  };
  const auto number = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<std::size_t>(i + grid.nx * (j + grid.ny * k));
  };
  const std::size_t n = number(0, 0, grid.nz);
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0.0));
  const auto level = [&](std::int64_t k) { return grid.height[static_cast<std::size_t>(k)]; };
  for (std::int64_t k = 0; k < grid.nz; ++k)
    for (std::int64_t j = 0; j < grid.ny; ++j)
      for (std::int64_t i = 0; i < grid.nx; ++i) {
        std::vector<double>& row = a[number(i, j, k)];
        double& diagonal = row[number(i, j, k)];
        if (solid(i, j, k) || outermost(i, j, k)) {
          diagonal = 1;
          continue;
        }
        const double thick = grid.thickness[static_cast<std::size_t>(k)];
        const auto face = [&](std::int64_t i2, std::int64_t j2, std::int64_t k2, double weight, double out) {
          row[n] -= 2 * out; // -2 div u0: what blows out of the cell through this face
          if (solid(i2, j2, k2)) return;
          diagonal -= weight;
          row[number(i2, j2, k2)] += weight;
        };
        const double c_x = 1 / (grid.dx * grid.dx);
        const double c_y = 1 / (grid.dy * grid.dy);
        face(i + 1, j, k, c_x, wind.u.view()(i + 1, j, k) / grid.dx);
        face(i - 1, j, k, c_x, -wind.u.view()(i, j, k) / grid.dx);
        face(i, j + 1, k, c_y, wind.v.view()(i, j + 1, k) / grid.dy);
        face(i, j - 1, k, c_y, -wind.v.view()(i, j, k) / grid.dy);
        face(i, j, k + 1, 1 / (thick * (level(k + 1) - level(k))), wind.w.view()(i, j, k + 1) / thick);
        const double below = k > 0 ? 1 / (thick * (level(k) - level(k - 1))) : 0;
        face(i, j, k - 1, below, -wind.w.view()(i, j, k) / thick);
      }
  for (std::size_t k = 0; k < n; ++k) // diagonally dominant: no pivots
    for (std::size_t r = k + 1; r < n; ++r) {
      if (a[r][k] == 0) continue;
      const double factor = a[r][k] / a[k][k];
      for (std::size_t c = k; c <= n; ++c)
        a[r][c] -= factor * a[k][c];
    }
  std::vector<double> lambda(n);
  for (std::size_t k = n; k-- > 0;) {
    double sum = a[k][n];
    for (std::size_t c = k + 1; c < n; ++c)
      sum -= a[k][c] * lambda[c];
    lambda[k] = sum / a[k][k];
  }
  return lambda;
}

/// A house on a hill: cells of 4 m x 5 m, levels that grow from 2 m by 15 % each.
struct Hill {
  static constexpr std::int64_t nx = 11, ny = 9, nz = 8;
  Hill() {
    for (std::int64_t n = 0; n < nx * ny; ++n)
      model.height.push_back(50 + (n % nx >= 6 ? 3.2 : 0));
  }
  Grid grid = make_grid(nx, ny, nz, 4, 5, 2, 1.15);
  heddle::geometry::Elevation model{nx, ny, 4, 5, {}, "hill"};
};

TEST(Solution, IsThatOfADirectSolveWithBothSolvers) {
  const Hill hill;
  const Ground ground(hill.grid, hill.model, {0, 0});
  const std::vector<Building> houses{
      make_building("house", {{16, 15}, {24, 15}, {24, 25}, {16, 25}, {16, 15}}, 6)};
  const Inflow inflow({sensor(240)});
  const std::vector<Zone> zones = make_zones(hill.grid, ground, houses, inflow, {}, 0.1);
  for (const Solver solver : {Solver::relaxation, Solver::multigrid}) {
    Wind<double> wind(hill.grid, ground, houses, heddle::Memory::host);
    wind.guess(inflow, zones);
    const std::vector<double> expected = direct(hill.grid, wind);
    EXPECT_TRUE((solver == Solver::multigrid ? wind.solve_with_multigrid(1e-13, 100)
                                             : wind.solve(1e-13, 2000, wind.best_omega()))
                    .converged());
    double largest = 0;
    for (std::int64_t k = 0; k < Hill::nz - 1; ++k)
      for (std::int64_t j = 1; j < Hill::ny - 1; ++j)
        for (std::int64_t i = 1; i < Hill::nx - 1; ++i) {
          const double value = expected[static_cast<std::size_t>(i + Hill::nx * (j + Hill::ny * k))];
          EXPECT_NEAR(wind.phi.view()(i - 1, j - 1, k), value, 1e-10) << i << " " << j << " " << k;
          largest = std::max(largest, std::abs(value));
        }
    EXPECT_GT(largest, 1);
  }
}

TEST(Solution, IsTheSameByRelaxationAndByMultigrid) {
  Street<double> relaxed;
  Street<double> other;
  EXPECT_TRUE(relaxed.wind.solve(1e-12, 20000, relaxed.wind.best_omega()).converged());
  const heddle::Solution found = other.wind.solve_with_multigrid(1e-12, 200);
  EXPECT_TRUE(found.converged()) << to_string(found);
  EXPECT_LE(found.measure, 1e-12);
  relaxed.wind.correct();
  other.wind.correct();
  EXPECT_LT(other.wind.largest_divergence(), 1e-12);
  for (const auto field : {&Wind<double>::u, &Wind<double>::v, &Wind<double>::w}) {
    const std::vector<double> a = (relaxed.wind.*field).read();
    const std::vector<double> b = (other.wind.*field).read();
    for (std::size_t n = 0; n < a.size(); ++n)
      ASSERT_NEAR(a[n], b[n], 1e-10);
  }
}

TEST(Solution, MultigridSaysWhatFloatCannotMeet) {
  Street<float> street;
  const heddle::Solution met = street.wind.solve_with_multigrid(2e-4, 200);
  EXPECT_TRUE(met.converged()) << to_string(met);
  const heddle::Solution best = street.wind.solve_with_multigrid(1e-9, 200);
  EXPECT_EQ(best.outcome, heddle::Outcome::stalled) << to_string(best);
  EXPECT_LT(best.least, 2e-4);
  EXPECT_GT(best.least, 1e-7);
  const heddle::Solution few = street.wind.solve_with_multigrid(1e-9, 1);
  EXPECT_EQ(few.outcome, heddle::Outcome::exhausted);
  EXPECT_THROW(street.wind.solve_with_multigrid(0, 200), heddle::Error);
}

TEST(Solution, IsTheSameInFloatUpToItsDigits) {
  Street<double> doubles;
  Street<float> floats;
  EXPECT_TRUE(doubles.wind.solve(1e-9, 20000, doubles.wind.best_omega()).converged());
  const heddle::Solution best = floats.wind.solve(0, 1000, floats.wind.best_omega());
  EXPECT_FALSE(best.converged()); // and it says so
  EXPECT_LT(best.least, 1e-3);
  doubles.wind.correct();
  floats.wind.correct();
  const std::vector<double> a = doubles.wind.u.read();
  const std::vector<float> b = floats.wind.u.read();
  double difference = 0;
  for (std::size_t n = 0; n < a.size(); ++n)
    difference = std::max(difference, std::abs(a[n] - static_cast<double>(b[n])));
  EXPECT_LT(difference, 2e-3);
}

TEST(Solution, ContinuesFromTheTimeBefore) {
  for (const Solver solver : {Solver::relaxation, Solver::multigrid}) {
    Street<double> street;
    const auto solve = [&] {
      return solver == Solver::multigrid ? street.wind.solve_with_multigrid(1e-8, 200)
                                         : street.wind.solve(1e-8, 20000, street.wind.best_omega());
    };
    const heddle::Solution cold = solve();
    street.blow(206);
    const heddle::Solution warm = solve();
    street.blow(206);
    const heddle::Solution same = solve();
    EXPECT_TRUE(cold.converged() && warm.converged() && same.converged());
    EXPECT_LT(warm.cycles, cold.cycles);
    EXPECT_EQ(same.cycles, 1); // the solution is there
  }
}

} // namespace
} // namespace city_wind
