// SPDX-License-Identifier: Apache-2.0
// The discrete Poisson problem written out cell by cell, from the grid and not from transforms, and a direct
// solver for it: what the fast solver is compared with.
#ifndef HEDDLE_TESTS_POISSON_DIRECT_HPP
#define HEDDLE_TESTS_POISSON_DIRECT_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "heddle/poisson/poisson_problem.hpp"

namespace test {

using heddle::Boundary;
using heddle::Location;
using heddle::PoissonProblem;

/// Cells of a problem, x fastest, without padding.
struct Grid {
  std::int64_t nx, ny, nz;
  explicit Grid(const PoissonProblem& problem)
      : nx(problem.x.unknowns), ny(problem.y.unknowns), nz(problem.z.unknowns()) {}
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(nx * ny * nz); }
  [[nodiscard]] std::size_t operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>((k * ny + j) * nx + i);
  }
};

/// The neighbour of unknown k one step on: its number and the sign with which it stands in (0: nothing
/// there).
struct Neighbour {
  std::int64_t k;
  int sign;
};

inline Neighbour neighbour(std::int64_t k, int step, std::int64_t n, Boundary lower, Boundary upper,
                           Location location) {
  const std::int64_t to = k + step;
  if (to >= 0 && to < n) return {to, 1};
  const Boundary boundary = to < 0 ? lower : upper;
  if (boundary == Boundary::periodic) return {(to + n) % n, 1};
  if (location == Location::centre) return {k, boundary == Boundary::neumann ? 1 : -1}; // mirrored at a face
  if (boundary == Boundary::neumann) return {k - step, 1}; // mirrored at the node
  return {k, 0};                                           // the boundary's value
}

/// Calls add(row, column, coefficient) for each entry of the operator.
template <class Add> void for_entries(const PoissonProblem& problem, Add&& add) {
  const Grid grid(problem);
  const auto& z = problem.z;
  const auto at = [](const std::vector<double>& profile, std::int64_t k) {
    return profile.empty() ? 1.0L : static_cast<long double>(profile[static_cast<std::size_t>(k)]);
  };
  const auto couple = [&](std::size_t row, Neighbour to, auto place, long double coefficient) {
    add(row, row, -coefficient);
    if (to.sign != 0) add(row, place(to.k), to.sign * coefficient);
  };
  for (std::int64_t k = 0; k < grid.nz; ++k)
    for (std::int64_t j = 0; j < grid.ny; ++j)
      for (std::int64_t i = 0; i < grid.nx; ++i) {
        const std::size_t row = grid(i, j, k);
        add(row, row, -static_cast<long double>(problem.shift));
        const auto horizontal = [&](const heddle::PoissonDirection& d, std::int64_t own, auto place) {
          const long double h = d.spacing;
          for (const int step : {-1, 1})
            couple(row, neighbour(own, step, d.unknowns, d.lower, d.upper, d.location), place,
                   at(z.density, k) / (h * h));
        };
        horizontal(problem.x, i, [&](std::int64_t to) { return grid(to, j, k); });
        horizontal(problem.y, j, [&](std::int64_t to) { return grid(i, to, k); });
        for (const int step : {-1, 1}) {
          const std::int64_t face = step < 0 ? k : k + 1;
          Neighbour to = neighbour(k, step, grid.nz, z.lower, z.upper, z.location);
          if (z.location == Location::face && (k + step < 0 || k + step >= grid.nz) && to.k == k - step &&
              to.sign == 1 && z.lower != Boundary::periodic)
            continue; // the control volume of a node on the boundary ends there
          couple(
              row, to, [&](std::int64_t other) { return grid(i, j, other); },
              at(z.face_density, face) / (at(z.distance, face) * at(z.width, k)));
        }
      }
}

/// The operator applied to a field.
inline std::vector<long double> apply(const PoissonProblem& problem, const std::vector<long double>& p) {
  std::vector<long double> result(p.size(), 0.0L);
  for_entries(problem, [&](std::size_t row, std::size_t column, long double coefficient) {
    result[row] += coefficient * p[column];
  });
  return result;
}

/// Gauss with row pivots, in long double. A singular problem gets its last unknown set to 0.
inline std::vector<long double> solve_directly(const PoissonProblem& problem,
                                               std::vector<long double> right) {
  const std::size_t n = right.size();
  std::vector<std::vector<long double>> matrix(n, std::vector<long double>(n, 0.0L));
  for_entries(problem, [&](std::size_t row, std::size_t column, long double coefficient) {
    matrix[row][column] += coefficient;
  });
  if (heddle::is_singular(problem)) {
    std::ranges::fill(matrix[n - 1], 0.0L);
    matrix[n - 1][n - 1] = 1;
    right[n - 1] = 0;
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < n; ++row)
      if (std::abs(matrix[row][k]) > std::abs(matrix[pivot][k])) pivot = row;
    std::swap(matrix[k], matrix[pivot]);
    std::swap(right[k], right[pivot]);
    for (std::size_t row = k + 1; row < n; ++row) {
      const long double factor = matrix[row][k] / matrix[k][k];
      if (factor == 0) continue;
      for (std::size_t column = k; column < n; ++column)
        matrix[row][column] -= factor * matrix[k][column];
      right[row] -= factor * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t column = k + 1; column < n; ++column)
      right[k] -= matrix[k][column] * right[column];
    right[k] /= matrix[k][k];
  }
  return right;
}

} // namespace test

#endif
