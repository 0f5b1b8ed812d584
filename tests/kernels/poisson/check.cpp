// SPDX-License-Identifier: Apache-2.0
// The Poisson solver against eigenfunctions, a direct solver, textbook pivots, and a manufactured solution.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "problems.hpp"

namespace {

using namespace test;

/// Mode l of a direction at unknown k, as the solution of the difference equation with its two ends.
long double eigenfunction(const PoissonDirection& d, std::int64_t l, std::int64_t k) {
  const auto n = static_cast<long double>(d.unknowns);
  const auto kk = static_cast<long double>(k), ll = static_cast<long double>(l);
  const bool centre = d.location == Location::centre;
  const long double length =
      n + (centre ? 0 : (d.lower == D) - (d.upper == N)); // of the direction, in spacings
  const long double place = centre ? kk + 0.5L : kk + (d.lower == D ? 1 : 0);
  const long double pi = std::numbers::pi_v<long double>;
  if (d.lower == P) return std::cos(2 * pi * ll * kk / n + 0.3L);
  const long double half_waves = d.lower == d.upper ? (d.lower == N ? ll : ll + 1) : ll + 0.5L;
  const long double angle = pi * half_waves * place / length;
  return d.lower == N ? std::cos(angle) : std::sin(angle);
}

TEST(Poisson, EigenfunctionsOfEveryTransform) {
  const long double epsilon = std::numeric_limits<double>::epsilon();
  for (const Ends& along_x : rows)
    for (const Ends& along_y : rows)
      for (const std::int64_t n : {8, 9}) {
        PoissonProblem problem{direction(along_x, n, 0.3), direction(along_y, n + 3, 0.7),
                               heddle::uniform_column(5, 0.5, N, D)};
        const Grid grid(problem);
        for (const std::int64_t l : {std::int64_t{0}, n / 2}) {
          const std::int64_t m = (l + 2) % 4;
          Numbers p(grid.size());
          for (std::int64_t k = 0; k < grid.nz; ++k)
            for (std::int64_t j = 0; j < grid.ny; ++j)
              for (std::int64_t i = 0; i < grid.nx; ++i)
                p[grid(i, j, k)] = eigenfunction(problem.x, l, i) * eigenfunction(problem.y, m, j) *
                                   eigenfunction({grid.nz, 0.5, N, D, Location::centre}, 1, k);
          Numbers right = test::apply(problem, p);
          const long double eigenvalue = -heddle::eigenvalue(problem.x, l) -
                                         heddle::eigenvalue(problem.y, m) -
                                         heddle::eigenvalue({grid.nz, 0.5, N, D, Location::centre}, 1);
          Numbers scaled = p;
          for (long double& value : scaled)
            value *= eigenvalue;
          const std::string what = std::string(along_x.name) + " x, " + along_y.name +
                                   " y, n = " + std::to_string(n) + ", l = " + std::to_string(l);
          EXPECT_LE(distance(right, scaled), 50 * epsilon) << what; // it is one
          EXPECT_LE(distance(solve<double>(problem, right), p), 50 * epsilon) << what;
        }
      }
}

TEST(Poisson, StretchedColumnsAndDensityAsADirectSolver) {
  struct Case {
    Ends x, y;
    Boundary lower, upper;
    double shift;
  };
  for (const Case& c :
       {Case{rows[0], rows[0], N, N, 0}, Case{rows[0], rows[0], N, D, 0}, Case{rows[1], rows[1], N, N, 0},
        Case{rows[5], rows[0], N, N, 0}, Case{rows[2], rows[3], D, D, 0}, Case{rows[4], rows[6], D, N, 0.7},
        Case{rows[0], rows[7], P, P, 0}, Case{rows[0], rows[0], P, P, 0}, Case{rows[1], rows[8], P, P, 2.5},
        Case{rows[0], rows[1], N, N, 0.01}}) {
    const PoissonProblem problem{direction(c.x, 6, 0.8), direction(c.y, 5, 1.1),
                                 stretched(11, c.lower, c.upper), c.shift};
    Numbers right(Grid(problem).size());
    for (std::size_t i = 0; i < right.size(); ++i)
      right[i] = noise(i);
    const bool singular = heddle::is_singular(problem);
    if (singular) make_solvable(problem, right);
    for (long double& value : right)
      value = static_cast<long double>(static_cast<double>(value)); // what the solver gets
    const Numbers expected = test::solve_directly(problem, right);
    EXPECT_LE(distance(solve<double>(problem, right), expected, singular), 1e-13L)
        << c.x.name << ", " << c.y.name << ", shift " << c.shift;
  }
}

TEST(Poisson, OneTwoAndManyLevels) {
  for (const std::int64_t levels : {1, 2, 3, 40})
    for (const auto& [lower, upper] : {std::pair{P, P}, std::pair{N, N}, std::pair{D, N}}) {
      const PoissonProblem problem{direction(rows[2], 4, 1), direction(rows[0], 3, 1),
                                   stretched(levels, lower, upper)};
      Numbers right(Grid(problem).size());
      for (std::size_t i = 0; i < right.size(); ++i)
        right[i] = noise(i + 77);
      EXPECT_LE(distance(solve<double>(problem, right), test::solve_directly(problem, right)), 1e-13L)
          << levels << " levels";
    }
}

TEST(Poisson, SingularModeIsPinnedExactly) {
  for (const auto& [lower, upper] : {std::pair{N, N}, std::pair{P, P}}) {
    const PoissonProblem problem{direction(rows[0], 8, 1), direction(rows[0], 6, 1),
                                 stretched(9, lower, upper)};
    const Grid grid(problem);
    Numbers right(grid.size());
    for (std::size_t i = 0; i < right.size(); ++i)
      right[i] = noise(i) + 3.0L; // no solution exists: the sum is not 0
    const Numbers p = solve<double>(problem, right);
    long double top = 0;
    for (std::int64_t j = 0; j < grid.ny; ++j)
      for (std::int64_t i = 0; i < grid.nx; ++i)
        top += p[grid(i, j, grid.nz - 1)];
    EXPECT_LE(std::abs(top), 1e-13L); // the mean of the last level is what is pinned
    // Only the last level's mean is not the right-hand side's.
    const Numbers back = test::apply(problem, p);
    for (std::int64_t k = 0; k + 1 < grid.nz; ++k)
      for (std::int64_t j = 0; j < grid.ny; ++j)
        for (std::int64_t i = 0; i < grid.nx; ++i)
          EXPECT_NEAR(static_cast<double>(back[grid(i, j, k)]), static_cast<double>(right[grid(i, j, k)]),
                      1e-10);
  }
}

/// The columns of one long wave in single precision, with textbook pivots: what the solver must not do.
std::vector<float> textbook(const heddle::ColumnCoefficients& rows_of, float lambda,
                            std::vector<float> right) {
  const std::size_t n = right.size();
  std::vector<float> pivot(n), upper(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto a = static_cast<float>(rows_of.lower[k]), c = static_cast<float>(rows_of.upper[k]);
    const float diagonal = -(a + c) - lambda;
    const float factor = k > 0 ? a / pivot[k - 1] : 0;
    pivot[k] = diagonal - (k > 0 ? factor * upper[k - 1] : 0);
    upper[k] = c;
    if (k > 0) right[k] -= factor * right[k - 1];
  }
  for (std::size_t k = n; k-- > 0;)
    right[k] = (right[k] - (k + 1 < n ? upper[k] * right[k + 1] : 0)) / pivot[k];
  return right;
}

TEST(Poisson, LongWavesKeepTheirDigitsInSinglePrecision) {
  const std::int64_t nx = 1024, nz = 128;
  PoissonProblem problem{direction(rows[0], nx, 1), direction(rows[0], 1, 1),
                         heddle::uniform_column(nz, 1, N, N)};
  Numbers smooth(static_cast<std::size_t>(nx * nz)), noisy(smooth.size());
  for (std::int64_t k = 0; k < nz; ++k)
    for (std::int64_t i = 0; i < nx; ++i) {
      const auto at = static_cast<std::size_t>(k * nx + i);
      const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(i) / nx;
      const long double height = std::numbers::pi_v<long double> * (static_cast<long double>(k) + 0.5L) / nz;
      smooth[at] = static_cast<float>(std::sin(angle) * (1 + std::cos(height)) +
                                      0.5L * std::cos(3 * angle) * std::cos(2 * height));
      noisy[at] = static_cast<float>(noise(at));
    }
  make_solvable(problem, noisy);
  for (long double& value : noisy)
    value = static_cast<float>(value);
  EXPECT_LE(distance(solve<float>(problem, smooth, true), solve<double>(problem, smooth, true), true), 1e-6L);
  EXPECT_LE(distance(solve<float>(problem, noisy, true), solve<double>(problem, noisy, true), true), 1e-5L);

  // The same wave, column by column, without transforms.
  const auto lambda = heddle::eigenvalue(problem.x, 1);
  const auto coefficients = heddle::column_coefficients(problem.z, 0);
  std::vector<float> right;
  for (std::int64_t k = 0; k < nz; ++k)
    right.push_back(static_cast<float>(1 + std::cos(std::numbers::pi * (static_cast<double>(k) + 0.5) / nz)));
  PoissonProblem wave{{1, 1, D, D, Location::centre}, {1, 1, P, P, Location::centre}, problem.z};
  wave.x.spacing = std::sqrt(heddle::eigenvalue(wave.x, 0) / lambda); // one mode, of that eigenvalue
  Numbers exact;
  for (const float value : right)
    exact.push_back(static_cast<long double>(value));
  exact = test::solve_directly(wave, exact);
  Numbers naive;
  for (const float value : textbook(coefficients, static_cast<float>(lambda), right))
    naive.push_back(static_cast<long double>(value));
  EXPECT_GE(distance(naive, exact), 1e-5L);
  Numbers given;
  for (const float value : right)
    given.push_back(static_cast<long double>(value));
  EXPECT_LE(distance(solve<float>(wave, given), exact), 1e-6L);
}

/// exp(x) sin(2 y) cosh(z) and its derivatives, on a box whose ends carry values or slopes of it.
struct Manufactured {
  static double p(double x, double y, double z) { return std::exp(x) * std::sin(2 * y) * std::cosh(z); }
  static double laplacian(double x, double y, double z) { return (1 - 4 + 1) * p(x, y, z); }
  static double slope(int axis, double x, double y, double z) {
    if (axis == 0) return p(x, y, z);
    if (axis == 1) return 2 * std::exp(x) * std::cos(2 * y) * std::cosh(z);
    return std::exp(x) * std::sin(2 * y) * std::sinh(z);
  }
};

/// The root mean square of the error with boundary values from the manufactured solution, on n unknowns a
/// direction. (The largest error goes as h^2 log h in corners where mirrored Dirichlet boundaries meet.)
double error_on(std::int64_t n, const Ends& ends) {
  const bool centre = ends.location == Location::centre;
  const double nodes = static_cast<double>(n) + (centre ? 0 : (ends.lower == D) + (ends.upper == D) - 1);
  const double h = 1 / nodes;
  const double first = centre ? h / 2 : ends.lower == D ? h : 0;
  const PoissonDirection d = direction(ends, n, h);
  const PoissonProblem problem{d, d, heddle::uniform_column(n, h, ends.lower, ends.upper, ends.location)};
  const auto coefficients = heddle::column_coefficients(problem.z, 0);
  const Grid grid(problem);
  const auto at = [&](std::int64_t i) { return first + h * static_cast<double>(i); };
  Numbers right(grid.size());
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        double f = Manufactured::laplacian(at(i), at(j), at(k));
        const std::array<std::int64_t, 3> cell{i, j, k};
        for (const int axis : {0, 1, 2})
          for (const bool upper : {false, true}) {
            const auto own = static_cast<std::size_t>(axis);
            if (cell[own] != (upper ? n - 1 : 0)) continue;
            std::array<double, 3> place{at(i), at(j), at(k)};
            place[own] = upper ? 1 : 0;
            const Boundary boundary = upper ? ends.upper : ends.lower;
            const double value =
                boundary == D ? Manufactured::p(place[0], place[1], place[2])
                              : (upper ? 1 : -1) * Manufactured::slope(axis, place[0], place[1], place[2]);
            const double lift = axis < 2 ? heddle::boundary_lift(h, boundary, ends.location)
                                         : (upper ? coefficients.lift_upper : coefficients.lift_lower);
            f -= lift * value;
          }
        right[grid(i, j, k)] = f;
      }
  const bool singular = heddle::is_singular(problem);
  if (singular) make_solvable(problem, right);
  const Numbers p = solve<double>(problem, right);
  double shift = 0, squares = 0;
  const auto difference = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<double>(p[grid(i, j, k)]) - Manufactured::p(at(i), at(j), at(k));
  };
  if (singular) {
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i)
          shift += difference(i, j, k) / static_cast<double>(grid.size());
  }
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        squares += std::pow(difference(i, j, k) - shift, 2);
  return std::sqrt(squares / static_cast<double>(grid.size()));
}

TEST(Poisson, BoundaryValuesAreOfSecondOrder) {
  for (const Ends& ends : rows) {
    if (ends.lower == P) continue;
    const double order = std::log2(error_on(12, ends) / error_on(24, ends));
    EXPECT_GE(order, 1.8) << ends.name;
    EXPECT_LE(order, 2.4) << ends.name;
  }
}

TEST(Poisson, SolvesWhatIsWrittenPlaneByPlaneWithItsBoundaryValues) {
  PoissonProblem problem{direction(rows[2], 12, 0.5), direction(rows[1], 10, 0.4), stretched(9, D, N)};
  problem.x.lower_value = 1.5, problem.x.upper_value = -0.25;
  problem.y.upper_value = 0.75;
  problem.z.lower_value = -2, problem.z.upper_value = 0.5;
  PoissonSolver<double> solver(problem);
  std::vector<double> whole, planes(static_cast<std::size_t>(solver.size()), 0.0);
  for (std::size_t n = 0; n < planes.size(); ++n)
    whole.push_back(static_cast<double>(noise(n)));
  const std::vector<double> right = whole;
  solver.solve(whole.data());

  std::vector<double> used(planes.size(), 0.0);
  const auto copy = [&](const std::vector<double>& from, std::vector<double>& to, std::int64_t first,
                        std::int64_t last) {
    std::copy(from.begin() + first * solver.plane_pitch(), from.begin() + last * solver.plane_pitch(),
              to.begin() + first * solver.plane_pitch());
  };
  heddle::Stream stream;
  solver.solve([&](std::int64_t first, std::int64_t last) { copy(right, planes, first, last); },
               [&](std::int64_t first, std::int64_t last) { copy(planes, used, first, last); }, planes.data(),
               stream);
  for (std::int64_t k = 0; k < 9; ++k)
    for (std::int64_t j = 0; j < 10; ++j)
      for (std::int64_t i = 0; i < 12; ++i) {
        const auto at = static_cast<std::size_t>(k * solver.plane_pitch() + j * solver.row_pitch() + i);
        ASSERT_EQ(planes[at], whole[at]) << i << " " << j << " " << k;
        ASSERT_EQ(used[at], whole[at]) << i << " " << j << " " << k;
      }
}

TEST(Poisson, RefusesWhatMakesNoSense) {
  const auto says = [](const std::function<void()>& f, const std::string& text) {
    try {
      f();
      ADD_FAILURE() << "nothing was thrown: " << text;
    } catch (const heddle::Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  const PoissonDirection good = direction(rows[0], 4, 1);
  const heddle::PoissonColumn column = heddle::uniform_column(3, 1, N, N);
  says([] { (void)heddle::transform_of({4, 1, P, N, Location::centre}); }, "periodic at one end only");
  says([] { (void)heddle::transform_of({0, 1, P, P, Location::centre}); }, "no unknowns");
  says([] { (void)heddle::transform_of({4, -1, P, P, Location::centre}); }, "spacing is not positive");
  says([] { (void)heddle::transform_of({1, 1, N, N, Location::face}); }, "two unknowns");
  says([&] { (void)heddle::column_coefficients(column, -1); }, "shift is negative");
  says([] { (void)heddle::stretched_column({1, 0}, N, N); }, "height is not positive");
  says([] { (void)heddle::stretched_column({}, N, N); }, "no cells");
  says([&] { PoissonSolver<double>({good, good, column}, nullptr); }, "the transform is null");
  says(
      [&] {
        auto other = heddle::reference_plane_transform<double>(heddle::TransformKind::dct2, 9,
                                                               heddle::TransformKind::dft, 4);
        PoissonSolver<double>({direction(rows[1], 4, 1), good, column}, std::move(other));
      },
      "has a mode 4");
  heddle::PoissonColumn thin = column;
  thin.density = {1, 1};
  says([&] { (void)heddle::column_coefficients(thin, 0); }, "density has 2 entries, not 3");
  thin.density = {1, 0, 1};
  says([&] { (void)heddle::column_coefficients(thin, 0); }, "density is not positive and finite everywhere");
}

} // namespace
