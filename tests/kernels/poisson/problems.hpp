// SPDX-License-Identifier: Apache-2.0
// Poisson problems of every kind of ends, and their solution by heddle::PoissonSolver.
#ifndef HEDDLE_TESTS_POISSON_PROBLEMS_HPP
#define HEDDLE_TESTS_POISSON_PROBLEMS_HPP

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "../../support/noise.hpp"
#include "direct.hpp"
#include "heddle/poisson/poisson.hpp"
#include "heddle/poisson/reference_transform.hpp"

namespace test {

using heddle::PoissonDirection;
using heddle::PoissonSolver;
using Numbers = std::vector<long double>;

inline constexpr Boundary P = Boundary::periodic, D = Boundary::dirichlet, N = Boundary::neumann;

struct Ends {
  const char* name;
  Boundary lower, upper;
  Location location;
};

/// Every row of the table of transforms.
inline constexpr Ends rows[] = {{"periodic", P, P, Location::centre},  {"centre NN", N, N, Location::centre},
                                {"centre DD", D, D, Location::centre}, {"centre ND", N, D, Location::centre},
                                {"centre DN", D, N, Location::centre}, {"face NN", N, N, Location::face},
                                {"face DD", D, D, Location::face},     {"face ND", N, D, Location::face},
                                {"face DN", D, N, Location::face}};

inline PoissonDirection direction(const Ends& ends, std::int64_t n, double spacing) {
  return {n, spacing, ends.lower, ends.upper, ends.location};
}

template <class Real> std::unique_ptr<heddle::PlaneTransform<Real>> reference(const PoissonProblem& problem) {
  return heddle::reference_plane_transform<Real>(heddle::transform_of(problem.x), problem.x.unknowns,
                                                 heddle::transform_of(problem.y), problem.y.unknowns);
}

/// p for a right-hand side, through the solver's own layout; `quick`: with the transform that users get.
template <class Real> Numbers solve(const PoissonProblem& problem, const Numbers& right, bool quick = false) {
  const Grid grid(problem);
  auto solver = quick ? PoissonSolver<Real>(problem) : PoissonSolver<Real>(problem, reference<Real>(problem));
  std::vector<Real> field(static_cast<std::size_t>(solver.size()), Real(0));
  const auto place = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<std::size_t>(k * solver.plane_pitch() + j * solver.row_pitch() + i);
  };
  const auto for_cells = [&](auto&& f) {
    for (std::int64_t k = 0; k < grid.nz; ++k)
      for (std::int64_t j = 0; j < grid.ny; ++j)
        for (std::int64_t i = 0; i < grid.nx; ++i)
          f(grid(i, j, k), place(i, j, k));
  };
  for_cells([&](std::size_t cell, std::size_t at) { field[at] = static_cast<Real>(right[cell]); });
  solver.solve(field.data());
  Numbers p(grid.size());
  for_cells([&](std::size_t cell, std::size_t at) { p[cell] = static_cast<long double>(field[at]); });
  return p;
}

/// Root mean square of a - b over that of b; with `free_constant`, after their means are taken off.
inline long double distance(Numbers a, Numbers b, bool free_constant = false) {
  const auto without_mean = [](Numbers& values) {
    long double sum = 0;
    for (const long double value : values)
      sum += value;
    for (long double& value : values)
      value -= sum / static_cast<long double>(values.size());
  };
  if (free_constant) {
    without_mean(a);
    without_mean(b);
  }
  long double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

/// A column with cells of different height and a density that falls.
inline heddle::PoissonColumn stretched(std::int64_t n, Boundary lower, Boundary upper) {
  std::vector<double> heights;
  for (std::int64_t k = 0; k < n; ++k)
    heights.push_back(0.4 * std::pow(1.13, static_cast<double>(k)));
  heddle::PoissonColumn column = heddle::stretched_column(heights, lower, upper);
  for (std::int64_t k = 0; k < n; ++k)
    column.density.push_back(1.2 * std::exp(-0.08 * (static_cast<double>(k) + 0.5)));
  for (std::int64_t k = 0; k <= n; ++k)
    column.face_density.push_back(1.2 * std::exp(-0.08 * static_cast<double>(k)));
  if (lower == P) column.face_density.back() = column.face_density.front(); // the same face
  return column;
}

/// The sum over rows with weights `width`, on which a singular problem must have no right-hand side.
inline void make_solvable(const PoissonProblem& problem, Numbers& right) {
  const Grid grid(problem);
  const auto weight = [](const PoissonDirection& d, std::int64_t i) {
    const bool node = d.location == Location::face && d.lower == N && d.upper == N;
    return node && (i == 0 || i == d.unknowns - 1) ? 0.5L : 1.0L;
  };
  const auto for_cells = [&](auto&& f) {
    for (std::int64_t k = 0; k < grid.nz; ++k)
      for (std::int64_t j = 0; j < grid.ny; ++j)
        for (std::int64_t i = 0; i < grid.nx; ++i)
          f(right[grid(i, j, k)], weight(problem.x, i) * weight(problem.y, j) *
                                      static_cast<long double>(problem.z.width[static_cast<std::size_t>(k)]));
  };
  long double sum = 0, weights = 0;
  for_cells([&](long double value, long double w) { sum += value * w, weights += w; });
  for_cells([&](long double& value, long double) { value -= sum / weights; });
}

} // namespace test

#endif
