// SPDX-License-Identifier: Apache-2.0
#include "heddle/poisson/poisson_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "heddle/core/error.hpp"

namespace heddle {

namespace {

constexpr const char* where = "PoissonProblem";

void require_pair(Boundary lower, Boundary upper) {
  if ((lower == Boundary::periodic) != (upper == Boundary::periodic)) {
    throw Error(where, "a direction is periodic at one end only",
                "use Boundary::periodic at both ends, or at none");
  }
}

/// The eigenvalue is 4 sin^2(pi (numerator) / denominator) / spacing^2.
double sine_form(double numerator, double denominator, double spacing) {
  const double root = 2 * std::sin(std::numbers::pi * (numerator / denominator)) / spacing;
  return root * root;
}

} // namespace

TransformKind transform_of(const PoissonDirection& direction) {
  require_pair(direction.lower, direction.upper);
  if (direction.unknowns < 1) throw Error(where, "a direction has no unknowns", "use at least one");
  if (!(direction.spacing > 0 && std::isfinite(direction.spacing)))
    throw Error(where, "a spacing is not positive and finite", "give the distance of neighbouring unknowns");
  if (direction.lower == Boundary::periodic) return TransformKind::dft;
  const bool lower = direction.lower == Boundary::neumann; // even about that end: cosines
  const bool upper = direction.upper == Boundary::neumann;
  if (direction.location == Location::centre) {
    if (lower) return upper ? TransformKind::dct2 : TransformKind::dct4;
    return upper ? TransformKind::dst4 : TransformKind::dst2;
  }
  if (lower && upper && direction.unknowns < 2) {
    throw Error(where, "a direction with Neumann nodes at both ends needs at least two unknowns",
                "use more cells");
  }
  if (lower) return upper ? TransformKind::dct1 : TransformKind::dct3;
  return upper ? TransformKind::dst3 : TransformKind::dst1;
}

double eigenvalue(const PoissonDirection& direction, std::int64_t mode) {
  const auto n = static_cast<double>(direction.unknowns);
  const auto l = static_cast<double>(mode);
  const double h = direction.spacing;
  switch (transform_of(direction)) {
  case TransformKind::dft:
    return sine_form(std::min(l, n - l), n,
                     h); // the shorter way round: sin(pi - x) is not sin(x) in floating point
  case TransformKind::dct1:
    return sine_form(l, 2 * (n - 1), h);
  case TransformKind::dct2:
    return sine_form(l, 2 * n, h);
  case TransformKind::dst1:
    return sine_form(l + 1, 2 * (n + 1), h);
  case TransformKind::dst2:
    return sine_form(l + 1, 2 * n, h);
  case TransformKind::dct3:
  case TransformKind::dct4:
  case TransformKind::dst3:
  case TransformKind::dst4:
    break;
  }
  return sine_form(2 * l + 1, 4 * n, h);
}

double boundary_lift(double spacing, Boundary boundary, Location location) {
  switch (boundary) {
  case Boundary::periodic:
    break;
  case Boundary::dirichlet:
    return (location == Location::centre ? 2 : 1) / (spacing * spacing);
  case Boundary::neumann:
    return (location == Location::centre ? 1 : 2) / spacing;
  }
  return 0;
}

PoissonColumn uniform_column(std::int64_t unknowns, double spacing, Boundary lower, Boundary upper,
                             Location location) {
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(unknowns, 0));
  PoissonColumn column;
  column.width.assign(n, spacing);
  column.distance.assign(n + 1, spacing);
  column.lower = lower;
  column.upper = upper;
  column.location = location;
  if (location == Location::face && n > 0) { // a node on the boundary has half a control volume
    if (lower == Boundary::neumann) column.width.front() /= 2;
    if (upper == Boundary::neumann) column.width.back() /= 2;
  }
  return column;
}

PoissonColumn stretched_column(const std::vector<double>& heights, Boundary lower, Boundary upper,
                               Location location) {
  require_pair(lower, upper);
  if (heights.empty()) throw Error("stretched_column", "the column has no cells", "give at least one height");
  if (!std::ranges::all_of(heights, [](double height) { return height > 0 && std::isfinite(height); })) {
    throw Error("stretched_column", "a height is not positive and finite", "give the heights of the cells");
  }
  const bool periodic = lower == Boundary::periodic;
  // Cells and the middles of cells take turns: what is the width of one is the distance of the other.
  std::vector<double> between{periodic ? (heights.front() + heights.back()) / 2 : heights.front()};
  for (std::size_t k = 1; k < heights.size(); ++k)
    between.push_back((heights[k - 1] + heights[k]) / 2);
  between.push_back(periodic ? between.front() : heights.back());
  PoissonColumn column;
  column.lower = lower;
  column.upper = upper;
  column.location = location;
  if (location == Location::centre) {
    column.width = heights;
    column.distance = between;
    return column;
  }
  column.distance = heights;
  column.width = between;
  if (periodic) { // the node at the end of the period is the first one
    column.distance.insert(column.distance.begin(), heights.back());
    column.width.pop_back();
    return column;
  }
  // A Neumann end has a node with half a control volume, and nothing beyond it; a Dirichlet end has none.
  if (lower == Boundary::neumann) {
    column.width.front() = heights.front() / 2;
    column.distance.insert(column.distance.begin(), heights.front());
  } else {
    column.width.erase(column.width.begin());
  }
  if (upper == Boundary::neumann) {
    column.width.back() = heights.back() / 2;
    column.distance.push_back(heights.back());
  } else {
    column.width.pop_back();
  }
  if (column.width.empty())
    throw Error("stretched_column", "one cell between two Dirichlet nodes has no unknown", "use more cells");
  return column;
}

ColumnCoefficients column_coefficients(const PoissonColumn& column, double shift) {
  require_pair(column.lower, column.upper);
  const std::size_t n = column.width.size();
  const auto profile = [](const std::vector<double>& given, std::size_t length, const char* name) {
    if (given.empty()) return std::vector<double>(length, 1.0);
    if (given.size() != length) {
      throw Error(where, std::string(name) + " has " + std::to_string(given.size()) + " entries, not " +
                             std::to_string(length));
    }
    if (!std::ranges::all_of(given, [](double value) { return value > 0 && std::isfinite(value); })) {
      throw Error(where, std::string(name) + " is not positive and finite everywhere",
                  "use positive numbers");
    }
    return given;
  };
  if (n == 0) throw Error(where, "the column has no unknowns", "use at least one level");
  if (column.distance.empty()) throw Error(where, "the column has no distances between levels", "set them");
  if (!(shift >= 0))
    throw Error(where, "the shift is negative, which makes the problem indefinite",
                "use a shift of 0 or more");
  const std::vector<double> width = profile(column.width, n, "width");
  const std::vector<double> distance = profile(column.distance, n + 1, "distance");
  const std::vector<double> face = profile(column.face_density, n + 1, "face_density");

  ColumnCoefficients rows;
  rows.density = profile(column.density, n, "density");
  rows.periodic = column.lower == Boundary::periodic;
  for (std::size_t k = 0; k < n; ++k) {
    rows.lower.push_back(face[k] / (distance[k] * width[k]));
    rows.upper.push_back(face[k + 1] / (distance[k + 1] * width[k]));
    rows.excess.push_back(shift);
  }
  if (rows.periodic) return rows;
  // What couples to the boundary is part of the row's excess (Dirichlet) or nothing (Neumann). A Dirichlet
  // boundary of cells lies half way to the mirrored unknown, which is 2 value - p.
  const double mirrored = column.location == Location::centre ? 2 : 1;
  if (column.lower == Boundary::dirichlet) {
    rows.lift_lower = mirrored * rows.lower.front();
    rows.excess.front() += rows.lift_lower;
  } else {
    rows.lift_lower = face.front() / width.front();
  }
  if (column.upper == Boundary::dirichlet) {
    rows.lift_upper = mirrored * rows.upper.back();
    rows.excess.back() += rows.lift_upper;
  } else {
    rows.lift_upper = face.back() / width.back();
  }
  rows.lower.front() = 0;
  rows.upper.back() = 0;
  return rows;
}

PoissonProblem without_values(PoissonProblem problem) {
  for (PoissonDirection* direction : {&problem.x, &problem.y})
    direction->lower_value = direction->upper_value = 0;
  problem.z.lower_value = problem.z.upper_value = 0;
  return problem;
}

bool is_singular(const PoissonProblem& problem) {
  const auto pinned = [](Boundary boundary) { return boundary == Boundary::dirichlet; };
  return problem.shift == 0 && !pinned(problem.x.lower) && !pinned(problem.x.upper) &&
         !pinned(problem.y.lower) && !pinned(problem.y.upper) && !pinned(problem.z.lower) &&
         !pinned(problem.z.upper);
}

} // namespace heddle
