// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_SURFACE_HPP
#define HEDDLE_CLOUDS_SURFACE_HPP

#include <vector>

namespace clouds {

inline constexpr int drag_entries = 4096; // as in model.py

/// u_* / |U| of neutral, stable and unstable air at a height z over a roughness z0, with zeta = z / L:
/// kappa / (ln(z / z0) - psi(zeta) + psi(zeta z0 / z)). psi: C. A. Paulson, J. Appl. Meteor. 9, 857 (1970);
/// A. J. Dyer, Boundary-Layer Meteorol. 7, 363 (1974).
[[nodiscard]] double drag_ratio(double zeta, double height, double roughness);

/// The same as a table over x = F / (1 + |F|) from -1 to 1, where F = kappa z b / |U|^3 = -zeta (u_* / |U|)^3
/// and b is the flux of buoyancy (m2 s-3); by bisection with |zeta| <= 20. 0 everywhere for roughness 0.
[[nodiscard]] std::vector<double> drag_table(double height, double roughness);

} // namespace clouds

#endif
