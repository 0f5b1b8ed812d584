// SPDX-License-Identifier: Apache-2.0
#include "alone.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/solvers/conjugate_gradient.hpp"
#include "petsc_poisson_sweeps.hpp"

Solved solve_alone(std::int64_t n, int runs) {
  const Problem problem(n);
  const double h = 1 / static_cast<double>(n);
  const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {n, n, n}});
  heddle::Field<double> cut(grid, {.components = 6, .name = "cut"});
  heddle::Field<double> phi(grid, {.name = "phi"});
  heddle::Field<double> right(grid, {.name = "right"});
  cut.fill([&](auto x, auto y, auto z, int face) { // upper and lower face along x, y, z
    const std::int64_t place = face / 2 == 0 ? x : face / 2 == 1 ? y : z;
    return place == (face % 2 == 0 ? n - 1 : 0) ? 2 * h : h;
  });
  double largest = 0;
  right.fill([&](auto x, auto y, auto z, int) { // the library's operator is negative
    const double b = problem.right(x, y, z);
    largest = std::max(largest, std::abs(b));
    return -b;
  });
  heddle::Centres centres = heddle::even_centres(n); // phi is given at the walls, half a cell away
  centres.front() = centres[1] - 0.5;
  centres.back() = centres[static_cast<std::size_t>(n)] + 0.5;
  heddle::ConjugateGradient<petsc_poisson::Solver, double, double, 0> gradients(
      {&cut, {}}, phi, right, {.centres = {centres, centres, centres}});
  Solved solved;
  for (int run = 0; run < runs; ++run) {
    phi.fill([](auto...) { return 0.0; });
    const auto begin = std::chrono::steady_clock::now();
    solved.iterations = gradients.solve({.residual = 1e-8 * largest}).solution.cycles;
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    solved.seconds = run == 0 ? took : std::min(solved.seconds, took);
  }
  for (std::int64_t z = 0; z < n; ++z)
    for (std::int64_t y = 0; y < n; ++y)
      for (std::int64_t x = 0; x < n; ++x)
        solved.error = std::max(solved.error, std::abs(phi.view()(x, y, z) - problem.solution(x, y, z)));
  return solved;
}
