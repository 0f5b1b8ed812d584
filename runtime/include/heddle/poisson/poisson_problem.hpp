// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POISSON_POISSON_PROBLEM_HPP
#define HEDDLE_POISSON_POISSON_PROBLEM_HPP

#include <cstdint>
#include <vector>

#include "heddle/poisson/plane_transform.hpp"

namespace heddle {

/// The boundary condition at an end of a direction: periodic, p given, or the derivative of p given.
enum class Boundary { periodic, dirichlet, neumann };

/// Where the unknowns lie: in the middle of cells, so that boundaries lie half a cell outside the last
/// unknown; or on faces (nodes), where a Neumann boundary carries an unknown and a Dirichlet boundary does
/// not.
enum class Location { centre, face };

/// A direction with constant spacing, which a transform diagonalises.
struct PoissonDirection {
  std::int64_t unknowns = 1;
  double spacing = 1; // distance of unknowns
  Boundary lower = Boundary::periodic;
  Boundary upper = Boundary::periodic;
  Location location = Location::centre;
  double lower_value = 0; // p at a Dirichlet boundary, the outward derivative of p at a Neumann boundary
  double upper_value = 0;
};

/// The forward transform of a direction. Throws Error for no unknowns, a spacing that is not positive,
/// periodic at one end only, or less than two unknowns between two Neumann nodes.
[[nodiscard]] TransformKind transform_of(const PoissonDirection& direction);

/// The eigenvalue of -d2/dx2 (second difference) of mode `mode`, 0 <= mode < unknowns: 4 sin^2(angle) /
/// spacing^2, never 1 - cos, which loses the digits of long waves. Modes of a dft beyond the half count
/// backwards.
[[nodiscard]] double eigenvalue(const PoissonDirection& direction, std::int64_t mode);

/// By what a boundary value, subtracted from the right-hand side of the outermost unknown, is multiplied: p
/// at a Dirichlet boundary, the outward derivative of p at a Neumann boundary. 0 for periodic ones.
[[nodiscard]] double boundary_lift(double spacing, Boundary boundary, Location location);

/// The direction that is solved directly, along z: any spacing, and density profiles,
///   (face_density[k+1] (p[k+1] - p[k]) / distance[k+1] - face_density[k] (p[k] - p[k-1]) / distance[k]) /
///   width[k].
/// Entry 0 and n of the face profiles belong to the boundaries.
struct PoissonColumn {
  std::vector<double> width;        // n: extent of the cell, or of the control volume of the node
  std::vector<double> distance;     // n + 1: from unknown k - 1 to unknown k, at the ends to the one beyond
  std::vector<double> density;      // n, multiplies the horizontal derivatives; empty: 1
  std::vector<double> face_density; // n + 1; empty: 1
  Boundary lower = Boundary::neumann;
  Boundary upper = Boundary::neumann;
  Location location = Location::centre;
  double lower_value = 0; // as in PoissonDirection
  double upper_value = 0;

  [[nodiscard]] std::int64_t unknowns() const { return static_cast<std::int64_t>(width.size()); }
};

/// Constant spacing.
[[nodiscard]] PoissonColumn uniform_column(std::int64_t unknowns, double spacing, Boundary lower,
                                           Boundary upper, Location location = Location::centre);
/// Cells of given height. Unknowns lie in their middle, and cells beyond the ends mirror the outermost ones
/// (periodic: continue at the other end); or on the faces between them, at a Neumann end on the outermost
/// face, too: heights.size() - 1 of them between two Dirichlet ends, + 1 between two Neumann ends, else as
/// many as cells. Throws Error for a height that is not positive, and where no unknown is left.
[[nodiscard]] PoissonColumn stretched_column(const std::vector<double>& heights, Boundary lower,
                                             Boundary upper, Location location = Location::centre);

/// (density (d2/dx2 + d2/dy2) + column - shift) p = right-hand side, with the values of the boundaries.
struct PoissonProblem {
  PoissonDirection x, y;
  PoissonColumn z;
  double shift = 0; // Helmholtz: >= 0
};

/// The same problem whose boundary values are 0.
[[nodiscard]] PoissonProblem without_values(PoissonProblem problem);

/// Rows of the column system, in the form -lower p[k-1] + (lower + upper + v) p[k] - upper p[k+1] = -right
/// with v = density (lambda_x + lambda_y) + excess >= 0: nothing in it is the difference of two large
/// numbers.
struct ColumnCoefficients {
  std::vector<double> lower, upper, density, excess; // n each
  double lift_lower = 0;                             // as boundary_lift, for the ends of the column
  double lift_upper = 0;
  bool periodic = false;
};

/// Throws Error for profiles of different length or not positive, periodic at one end only, or a negative
/// shift.
[[nodiscard]] ColumnCoefficients column_coefficients(const PoissonColumn& column, double shift);

/// Whether p is determined only up to a constant: periodic or Neumann on all sides, and no shift.
[[nodiscard]] bool is_singular(const PoissonProblem& problem);

} // namespace heddle

#endif
