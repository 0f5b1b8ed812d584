// SPDX-License-Identifier: Apache-2.0
// Multigrid and conjugate gradients: the numbers of a published case, of a manufactured solution and of the
// equations themselves, evaluated cell by cell; as many iterations on fine grids as on coarse ones.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "../../support/device_memory.hpp"
#include "cube.hpp"
#include "multigrid_cut_sweeps.hpp"
#include "multigrid_sweeps.hpp"
#ifndef HEDDLE_ON_DEVICE
#include "emulated.hpp"
#include "walls.hpp"
#endif

namespace {

using heddle::Outcome;
using test::Cell;
using test::Cube;
#ifndef HEDDLE_ON_DEVICE
using test::noise;
using test::Walls;
#endif

template <class T> using Gradients = heddle::ConjugateGradient<multigrid::Solver, T, std::uint8_t, 3>;

TEST(Multigrid, SolvesTheCubeCaseToItsPublishedValues) {
  Cube<double> cube({100, 100, 100}, true, test::device_memory);
  Gradients<double> gradients({&cube.open, cube.weights()}, cube.lambda, cube.right);
  const heddle::Descent found = gradients.solve({.residual = 2e-6});
  EXPECT_TRUE(found.converged()) << to_string(found);
  EXPECT_LE(found.solution.cycles, 12);
  EXPECT_LE(found.residual, 2e-6);
  const auto wind = cube.on_host();
  // sor-wind.md, section 2.3: u and v on faces (i, j, k)
  EXPECT_NEAR(wind.velocity(0, {30, 49, 10}), 4.661728, 1e-6);
  EXPECT_NEAR(wind.velocity(0, {44, 49, 10}), 0.965378, 1e-6);
  EXPECT_NEAR(wind.velocity(0, {50, 49, 25}), 6.780928, 1e-6);
  EXPECT_NEAR(wind.velocity(0, {50, 49, 80}), 7.252186, 1e-6);
  EXPECT_NEAR(wind.velocity(1, {43, 56, 10}), 2.175261, 1e-6);
  EXPECT_NEAR(wind.velocity(2, {44, 49, 20}), 4.661029, 1e-6);
}

TEST(Multigrid, FloatSaysWhereItsPrecisionEnds) {
  Cube<float> cube({40, 40, 20}, true, test::device_memory);
  Gradients<float> gradients({&cube.open, cube.weights()}, cube.lambda, cube.right);
  const heddle::Descent two = gradients.solve({.residual = 1e-9, .most_iterations = 2});
  EXPECT_EQ(two.solution.outcome, Outcome::exhausted) << to_string(two);
  const heddle::Descent end = gradients.solve({.residual = 1e-9});
  EXPECT_EQ(end.solution.outcome, Outcome::stalled) << to_string(end);
  EXPECT_LT(end.residual, 2e-3);
}

TEST(Multigrid, NeedsAsManyIterationsOnFineGrids) {
  std::vector<std::int64_t> iterations;
  for (const std::int64_t n : {16, 32, 64}) {
    Cube<double> cube({n, n, n / 2}, true, test::device_memory);
    Gradients<double> gradients({&cube.open, cube.weights()}, cube.lambda, cube.right);
    const heddle::Descent found = gradients.solve({.residual = 1e-6});
    EXPECT_TRUE(found.converged()) << n << ": " << to_string(found);
    iterations.push_back(found.solution.cycles);
  }
  EXPECT_LE(iterations[2], iterations[0] + 4);
  EXPECT_LE(iterations[2], 14);
}

/// Largest error of phi = sin(pi x) sin(2 pi y) cos(pi z / 2) on an empty box of 1 x 1 x 1; phi is given one
/// cell beyond the box, except at z = 0, where nothing flows.
double manufactured(const Cell& cells) {
  using std::numbers::pi;
  const std::array<double, 3> h{1 / static_cast<double>(cells[0] + 1), 1 / static_cast<double>(cells[1] + 1),
                                1 / (static_cast<double>(cells[2]) + 0.5)};
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, cells});
  heddle::Field<double> cut(grid, {.components = 6, .name = "cut"});
  heddle::Field<double> phi(grid, {.name = "phi"});
  heddle::Field<double> right(grid, {.name = "right"});
  const auto exact = [&](auto x, auto y, auto z) {
    return std::sin(pi * static_cast<double>(x + 1) * h[0]) *
           std::sin(2 * pi * static_cast<double>(y + 1) * h[1]) *
           std::cos(pi / 2 * (static_cast<double>(z) + 0.5) * h[2]);
  };
  cut.fill([&](auto, auto, auto z, int face) {
    const auto axis = static_cast<std::size_t>(face / 2);
    return face == 5 && z == 0 ? 0.0 : 1 / (h[axis] * h[axis]);
  });
  right.fill([&](auto x, auto y, auto z, int) { return -5.25 * pi * pi * exact(x, y, z); });
  heddle::ConjugateGradient<multigrid_cut::Solver, double, double, 0> gradients({&cut, {}}, phi, right);
  EXPECT_TRUE(gradients.solve({.residual = 1e-8}).converged());
  double largest = 0;
  for (std::int64_t z = 0; z < cells[2]; ++z)
    for (std::int64_t y = 0; y < cells[1]; ++y)
      for (std::int64_t x = 0; x < cells[0]; ++x)
        largest = std::max(largest, std::abs(phi.view()(x, y, z) - exact(x, y, z)));
  return largest;
}

TEST(Multigrid, AManufacturedSolutionConvergesWithTheSquareOfTheSpacing) {
  const double coarse = manufactured({15, 23, 10});
  const double fine = manufactured({31, 47, 21});
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << coarse << " " << fine;
}

/// Centres of `cells` cells that grow by a factor along [0, 1], and of one more beyond each end.
heddle::Centres growing(std::int64_t cells, double factor) {
  heddle::Centres centres;
  double size = (factor - 1) / (std::pow(factor, static_cast<double>(cells)) - 1);
  double bottom = 0;
  centres.push_back(-size / 2);
  for (std::int64_t n = 0; n < cells; ++n, size *= factor) {
    centres.push_back(bottom + size / 2);
    bottom += size;
  }
  centres.push_back(bottom + size / 2);
  return centres;
}

/// Iterations for phi = cos(pi x) cos(2 pi y) cos(pi z / 2) between walls, given beyond the last cell of z,
/// on n^3 cells that grow along z; and the largest error. The equation of a cell is multiplied by its size
/// along z.
std::pair<std::int64_t, double> on_growing_cells(std::int64_t n, double factor) {
  using std::numbers::pi;
  const double h = 1 / static_cast<double>(n);
  const heddle::Centres centres = growing(n, factor);
  const auto centre = [&](std::int64_t z) { return centres[static_cast<std::size_t>(z + 1)]; };
  const auto size = [&](std::int64_t z) {
    return -2 * centre(-1) * std::pow(factor, static_cast<double>(z));
  };
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {n, n, n}});
  heddle::Field<double> cut(grid, {.components = 6, .name = "cut"});
  heddle::Field<double> phi(grid, {.name = "phi"});
  heddle::Field<double> right(grid, {.name = "right"});
  const auto exact = [&](auto x, auto y, auto z) {
    return std::cos(pi * (static_cast<double>(x) + 0.5) * h) *
           std::cos(2 * pi * (static_cast<double>(y) + 0.5) * h) * std::cos(pi / 2 * centre(z) / centre(n));
  };
  const double eigenvalue = 5 * pi * pi + std::pow(pi / 2 / centre(n), 2);
  cut.fill([&](auto x, auto y, auto z, int face) {
    const bool upper = face % 2 == 0;
    if (face >= 4) return !upper && z == 0 ? 0.0 : 1 / std::abs(centre(upper ? z + 1 : z - 1) - centre(z));
    return (face < 2 ? x : y) == (upper ? n - 1 : 0) ? 0.0 : size(z) / (h * h);
  });
  right.fill([&](auto x, auto y, auto z, int) { return -eigenvalue * exact(x, y, z) * size(z); });
  heddle::ConjugateGradient<multigrid_cut::Solver, double, double, 0> gradients(
      {&cut, {}}, phi, right, {.centres = {heddle::even_centres(n, h), heddle::even_centres(n, h), centres}});
  const heddle::Descent found = gradients.solve({.residual = 1e-10});
  EXPECT_TRUE(found.converged()) << to_string(found);
  double largest = 0;
  for (std::int64_t z = 0; z < n; ++z)
    for (std::int64_t y = 0; y < n; ++y)
      for (std::int64_t x = 0; x < n; ++x)
        largest = std::max(largest, std::abs(phi.view()(x, y, z) - exact(x, y, z)));
  return {found.solution.cycles, largest};
}

TEST(Multigrid, CellsThatGrowNeedFewIterationsAndConvergeInSecondOrder) {
  const auto [coarse_count, coarse] = on_growing_cells(16, 1.15);
  const auto [fine_count, fine] = on_growing_cells(32, std::sqrt(1.15));
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << coarse << " " << fine;
  EXPECT_LE(coarse_count, 20); // cells are up to 6 times longer than high
  EXPECT_LE(fine_count, 20);
}

#ifndef HEDDLE_ON_DEVICE
TEST(Multigrid, MeetsTheEquationsOfEachCellAroundWalls) {
  for (const Cell& cells : {Cell{2, 1, 1}, Cell{6, 5, 4}, Cell{10, 7, 9}, Cell{18, 33, 1}, Cell{34, 6, 19}}) {
    Walls<double> walls(cells);
    const std::array<double, 3> weights{1, 0.5, 4};
    Gradients<double> gradients({&walls.open, weights}, walls.phi, walls.right);
    const heddle::Descent found = gradients.solve({.residual = 1e-10, .change = 1e-9});
    EXPECT_TRUE(found.converged()) << to_string(found);
    EXPECT_LE(walls.residual(weights), 1.01e-10) << cells[0];
    EXPECT_LE(found.change, 1e-9);
  }
}

/// Cells that are `flat` times shorter along one axis than along the others.
heddle::MultigridOptions flat_cells(const Cell& cells, std::size_t axis, double flat) {
  heddle::MultigridOptions options;
  for (std::size_t d = 0; d < 3; ++d)
    options.centres[d] = heddle::even_centres(cells[d], d == axis ? 1 / flat : 1);
  return options;
}

TEST(Multigrid, FlatCellsAreMergedAlongTheShortAxisFirst) {
  for (const Cell& cells : {Cell{34, 33, 40}, Cell{6, 1, 9}, Cell{18, 5, 2}})
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::array<double, 3> weights{1, 1, 1};
      weights[axis] = 64;
      Walls<double> walls(cells);
      Gradients<double> gradients({&walls.open, weights}, walls.phi, walls.right, flat_cells(cells, axis, 8));
      const heddle::Descent found = gradients.solve({.residual = 1e-10});
      EXPECT_TRUE(found.converged()) << to_string(found);
      EXPECT_LE(walls.residual(weights), 1.01e-10) << cells[0] << " " << axis;
      EXPECT_LE(found.solution.cycles, 25) << cells[0] << " " << axis;
    }
}

TEST(Multigrid, TheKernelsForTheDeviceGiveTheSameBits) {
  Walls<float> one({18, 13, 11});
  Walls<float> other({18, 13, 11});
  const heddle::Accuracy accuracy{.residual = 1e-4, .change = 1e-4};
  Gradients<float> here({&one.open, {1, 0.5, 4}}, one.phi, one.right);
  heddle::ConjugateGradient<test::Emulated, float, std::uint8_t, 3> there({&other.open, {1, 0.5, 4}},
                                                                          other.phi, other.right);
  const heddle::Descent a = here.solve(accuracy);
  const heddle::Descent b = there.solve(accuracy);
  EXPECT_EQ(a.solution.cycles, b.solution.cycles);
  EXPECT_EQ(a.residual, b.residual);
  for (const int colour : {0, 1})
    EXPECT_EQ(one.phi.read(0, colour), other.phi.read(0, colour));
}

/// One cycle for two right sides: the products of each correction with the other right side are equal.
void expect_symmetric(const std::array<double, 3>& weights, const heddle::MultigridOptions& options) {
  Walls<double> walls({18, 13, 11});
  using Cycle = heddle::Multigrid<multigrid::Solver, double, std::uint8_t, 3>;
  Cycle cycle({&walls.open, weights}, options);
  const auto fill = [&](std::int64_t seed) {
    test::set(cycle.rest(), true, [&](auto x, auto y, auto z) {
      return walls.openings({x, y, z}) == 0 ? 0.0 : noise(seed + walls.number({x, y, z}));
    });
  };
  const auto dot = [&] {
    double sum = 0;
    for (const int colour : {0, 1}) {
      const std::vector<double> a = cycle.rest().read(0, colour);
      const std::vector<double> b = cycle.correction().read(0, colour);
      for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    }
    return sum;
  };
  heddle::Stream stream;
  fill(1000);
  cycle(stream);
  const heddle::Buffer<double>& products = cycle.products();
  EXPECT_NEAR(products.to_host()[0] + products.to_host()[1], dot(), 1e-9);
  EXPECT_GT(dot(), 0);
  fill(5000);
  const double forth = dot(); // correction of the first, rest of the second
  cycle(stream);
  fill(1000);
  EXPECT_NEAR(dot(), forth, 1e-9 * std::abs(forth) + 1e-10);
}

TEST(Multigrid, TheCycleIsSymmetric) {
  expect_symmetric({1, 0.5, 4}, {});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::array<double, 3> weights{1, 1, 1};
    weights[axis] = 100;
    expect_symmetric(weights, flat_cells({18, 13, 11}, axis, 10));
  }
}

TEST(Multigrid, RefusesWhatItCannotDo) {
  Walls<double> walls({6, 5, 4});
  Gradients<double> gradients({&walls.open, {1, 1, 1}}, walls.phi, walls.right);
  EXPECT_THROW(gradients.solve({}), heddle::Error);
  EXPECT_THROW(Gradients<double>({&walls.open, {1, 1, 1}}, walls.phi, walls.right, {.sweeps = 0}),
               heddle::Error);
  EXPECT_THROW(Gradients<double>({&walls.open, {1, 1, 1}}, walls.phi, walls.right,
                                 {.centres = {heddle::even_centres(7)}}),
               heddle::Error);
  const heddle::BlockGrid two(heddle::Box{{0, 0, 0}, {8, 8, 8}}, {2, 1, 1});
  heddle::Field<std::uint8_t> open(two, {.components = 2, .name = "open"});
  heddle::Field<double> phi(two, {.components = 2, .name = "phi"});
  EXPECT_THROW(Gradients<double>({&open, {1, 1, 1}}, phi, phi), heddle::Error);
}

TEST(Multigrid, CoarseFacesLieBetweenTheMiddlesOfTheChildren) {
  const heddle::Centres coarse = heddle::coarser(heddle::even_centres(5));
  EXPECT_EQ(coarse, (heddle::Centres{-0.5, 1, 3, 4.5, 5.5}));
  const std::vector<heddle::FaceRun> runs = heddle::coarse_faces(heddle::even_centres(5));
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_DOUBLE_EQ(runs[0].factor, 1 / 1.5);
  EXPECT_DOUBLE_EQ(runs[1].factor, 0.5);
  EXPECT_EQ(runs[3].fine, 5); // the last child is alone, and its upper face is the coarse one
  EXPECT_DOUBLE_EQ(runs[3].factor, 1);
}
#endif

} // namespace
