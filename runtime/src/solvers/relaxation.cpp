// SPDX-License-Identifier: Apache-2.0
#include "heddle/solvers/relaxation.hpp"

#include <cmath>
#include <numbers>

#include "heddle/core/error.hpp"

namespace heddle {

namespace {

/// Phase of the slowest error along an axis, from one cell to the next.
double slowest(const RelaxationAxis& axis) {
  const auto cells = static_cast<double>(axis.cells);
  if (axis.given_ends == 2) return std::numbers::pi / (cells + 1);
  return axis.given_ends == 1 ? std::numbers::pi / (2 * cells + 1) : 0.0;
}

} // namespace

double jacobi_radius(const std::array<RelaxationAxis, 3>& axes) {
  double damped = 0;
  double total = 0;
  bool given = false;
  for (const RelaxationAxis& axis : axes) {
    if (axis.cells < 1 || !(axis.spacing > 0) || axis.given_ends < 0 || axis.given_ends > 2) {
      throw Error("jacobi_radius",
                  "an axis of " + std::to_string(axis.cells) + " cells of " + std::to_string(axis.spacing) +
                      " with " + std::to_string(axis.given_ends) + " given ends is not valid",
                  "use at least one cell, a positive size, and 0, 1 or 2 given ends");
    }
    const double weight = 2 / (axis.spacing * axis.spacing);
    damped += weight * (1 - std::cos(slowest(axis)));
    total += weight;
    given = given || axis.given_ends > 0;
  }
  if (!given) {
    throw Error("jacobi_radius", "phi is given at no end, so its mean is undetermined",
                "give it at one end at least");
  }
  return 1 - damped / total;
}

double optimal_omega(double jacobi_radius) {
  if (!(jacobi_radius >= 0 && jacobi_radius < 1)) {
    throw Error("optimal_omega", "the Jacobi radius " + std::to_string(jacobi_radius) + " is out of range",
                "use 0 <= radius < 1");
  }
  return 2 / (1 + std::sqrt(1 - jacobi_radius * jacobi_radius));
}

double omega_before_smoothing(double jacobi_radius) {
  return 2 - 1.3 * (2 - optimal_omega(jacobi_radius));
}

} // namespace heddle
