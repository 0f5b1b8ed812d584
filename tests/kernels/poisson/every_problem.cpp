// SPDX-License-Identifier: Apache-2.0
// Every combination of ends along x, y and z, odd and even, uniform and stretched, with and without density,
// shift and boundary values: the right-hand side of a known p, written down cell by cell with the values
// beyond the ends, gives p back.
#include <gtest/gtest.h>

#include <string>

#include "heddle/core/error.hpp"
#include "problems.hpp"

namespace {

using namespace test;
using heddle::PoissonColumn;

/// p beyond an end, h away from the outermost unknown (or the mirror image of the one inside, for nodes).
long double beyond(Boundary boundary, Location location, long double own, long double inside,
                   long double around, long double h, long double value) {
  switch (boundary) {
  case Boundary::periodic:
    return around;
  case Boundary::dirichlet:
    return location == Location::centre ? 2 * value - own : value;
  case Boundary::neumann:
    break;
  }
  return location == Location::centre ? own + h * value : inside + 2 * h * value;
}

/// What the boundaries leave of the flux through an end of a column: face_density dp/dz, upwards.
long double end_flux(const PoissonColumn& z, bool upper, long double own, long double around) {
  const Boundary boundary = upper ? z.upper : z.lower;
  const long double value = upper ? z.upper_value : z.lower_value;
  const long double sign = upper ? 1 : -1, h = upper ? z.distance.back() : z.distance.front();
  const long double density = z.face_density.empty() ? 1
                              : upper                ? z.face_density.back()
                                                     : z.face_density.front();
  if (boundary == Boundary::neumann) return sign * density * value;
  return sign * density * (beyond(boundary, z.location, own, 0, around, h, value) - own) / h;
}

/// (density (d2/dx2 + d2/dy2) + column - shift) p.
Numbers right_side(const PoissonProblem& problem, const Numbers& p) {
  const Grid grid(problem);
  Numbers right(p.size());
  const auto second = [](const PoissonDirection& d, std::int64_t i, auto&& at) {
    const std::int64_t n = d.unknowns;
    const long double h = d.spacing, own = at(i), inside_low = n > 1 ? at(1) : own,
                      inside_high = n > 1 ? at(n - 2) : own;
    const long double below =
        i > 0 ? at(i - 1) : beyond(d.lower, d.location, own, inside_low, at(n - 1), h, d.lower_value);
    const long double above =
        i + 1 < n ? at(i + 1) : beyond(d.upper, d.location, own, inside_high, at(0), h, d.upper_value);
    return (below - 2 * own + above) / (h * h);
  };
  const PoissonColumn& z = problem.z;
  for (std::int64_t k = 0; k < grid.nz; ++k)
    for (std::int64_t j = 0; j < grid.ny; ++j)
      for (std::int64_t i = 0; i < grid.nx; ++i) {
        const auto level = static_cast<std::size_t>(k);
        const auto at_z = [&](std::int64_t other) { return p[grid(i, j, other)]; };
        const long double across = second(problem.x, i, [&](auto other) { return p[grid(other, j, k)]; }) +
                                   second(problem.y, j, [&](auto other) { return p[grid(i, other, k)]; });
        const auto flux = [&](std::int64_t face) { // between levels face - 1 and face
          if (face == 0) return end_flux(z, false, at_z(0), at_z(grid.nz - 1));
          if (face == grid.nz) return end_flux(z, true, at_z(grid.nz - 1), at_z(0));
          const auto f = static_cast<std::size_t>(face);
          const long double density = z.face_density.empty() ? 1 : z.face_density[f];
          return density * (at_z(face) - at_z(face - 1)) / static_cast<long double>(z.distance[f]);
        };
        const long double density = z.density.empty() ? 1 : z.density[level];
        right[grid(i, j, k)] = density * across +
                               (flux(k + 1) - flux(k)) / static_cast<long double>(z.width[level]) -
                               static_cast<long double>(problem.shift) * p[grid(i, j, k)];
      }
  return right;
}

/// Columns of n unknowns with the ends of a row of the table.
std::vector<PoissonColumn> columns(const Ends& ends, std::int64_t n) {
  std::vector<PoissonColumn> all{heddle::uniform_column(n, 0.6, ends.lower, ends.upper, ends.location)};
  if (ends.location == Location::centre) all.push_back(stretched(n, ends.lower, ends.upper));
  if (ends.location == Location::centre && ends.lower != P) return all; // periodic ones have nodes, too
  std::vector<double> heights;                                          // of the cells between nodes and ends
  for (std::int64_t k = 0; k < n + (ends.lower == D) - (ends.upper == N); ++k)
    heights.push_back(0.4 + 0.1 * static_cast<double>(k));
  PoissonColumn nodes = heddle::stretched_column(heights, ends.lower, ends.upper, Location::face);
  for (std::size_t k = 0; k < nodes.width.size(); ++k)
    nodes.density.push_back(1 + 0.2 * static_cast<double>(k));
  for (std::size_t k = 0; k < nodes.distance.size(); ++k)
    nodes.face_density.push_back(0.9 + 0.2 * static_cast<double>(k));
  if (ends.lower == P) nodes.face_density.back() = nodes.face_density.front(); // the same face
  all.push_back(nodes);
  return all;
}

/// Control volumes of nodes reach half way to their neighbours, and end at a Neumann end.
TEST(StretchedColumn, PutsNodesBetweenCells) {
  const std::vector<double> heights{1, 2, 4};
  const auto column = [&](Boundary lower, Boundary upper) {
    return heddle::stretched_column(heights, lower, upper, Location::face);
  };
  using Profile = std::vector<double>;
  EXPECT_EQ(column(D, D).width, (Profile{1.5, 3}));
  EXPECT_EQ(column(D, D).distance, (Profile{1, 2, 4}));
  EXPECT_EQ(column(N, D).width, (Profile{0.5, 1.5, 3}));
  EXPECT_EQ(column(N, D).distance, (Profile{1, 1, 2, 4}));
  EXPECT_EQ(column(D, N).width, (Profile{1.5, 3, 2}));
  EXPECT_EQ(column(D, N).distance, (Profile{1, 2, 4, 4}));
  EXPECT_EQ(column(N, N).width, (Profile{0.5, 1.5, 3, 2}));
  EXPECT_EQ(column(N, N).distance, (Profile{1, 1, 2, 4, 4}));
  EXPECT_EQ(column(P, P).width, (Profile{2.5, 1.5, 3}));
  EXPECT_EQ(column(P, P).distance, (Profile{4, 1, 2, 4}));
  EXPECT_THROW((void)heddle::stretched_column({1}, D, D, Location::face), heddle::Error);
}

TEST(EveryPoissonProblem, IsSolved) {
  int problems = 0, singular = 0;
  for (const Ends& along_x : rows)
    for (const Ends& along_y : rows)
      for (const Ends& along_z : rows)
        for (const std::int64_t odd : {0, 1})
          for (const PoissonColumn& column : columns(along_z, 5 + odd))
            for (const double shift : {0.0, 0.7}) {
              PoissonProblem problem{direction(along_x, 4 + odd, 0.8), direction(along_y, 3 + odd, 1.1),
                                     column, shift};
              if (along_x.lower != P) problem.x.lower_value = 1.25, problem.x.upper_value = -0.5;
              if (along_y.lower != P) problem.y.lower_value = 0.75, problem.y.upper_value = 2;
              if (along_z.lower != P) problem.z.lower_value = -1.5, problem.z.upper_value = 0.25;
              Numbers p(Grid(problem).size());
              for (std::size_t i = 0; i < p.size(); ++i)
                p[i] = noise(i + 7);
              const bool free_constant = heddle::is_singular(problem);
              ASSERT_LE(distance(solve<double>(problem, right_side(problem, p), true), p, free_constant),
                        1e-13L)
                  << along_x.name << ", " << along_y.name << ", " << along_z.name << ", " << column.unknowns()
                  << " levels" << (column.density.empty() ? "" : " stretched") << ", shift " << shift;
              ++problems;
              singular += free_constant ? 1 : 0;
            }
  EXPECT_EQ(problems, 9 * 9 * (9 * 2 + 1) * 4);
  EXPECT_EQ(singular, 3 * 3 * (3 * 2 + 1) * 2); // periodic, or Neumann at centres or nodes, along each axis
}

} // namespace
