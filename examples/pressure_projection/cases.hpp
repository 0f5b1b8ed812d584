// SPDX-License-Identifier: Apache-2.0
#ifndef PRESSURE_PROJECTION_CASES_HPP
#define PRESSURE_PROJECTION_CASES_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/transport/transport.hpp"

namespace pressure_projection {

/// Velocities in the plane of x and z, in the middle of cells, x fastest.
struct PlaneFlow {
  std::int64_t nx = 0, nz = 0;
  double width = 1, height = 1;
  std::vector<double> u, w;
};

/// What a case found, the same on all ranks: lines for people, whether all is as it should be, and the flow
/// at the end.
struct Result {
  bool good = true;
  std::vector<std::string> lines;
  PlaneFlow flow;
};

/// Decay of the two-dimensional Taylor-Green vortex on n, 2n and 4n cells per side against the exact solution
/// (Taylor and Green 1937): the error falls to a quarter each time.
[[nodiscard]] Result taylor_green(std::int64_t cells, heddle::Transport& transport);

/// The lid-driven cavity at Re = 100, 400 or 1000 until it is steady, against the tables of Ghia et al.
/// (1982).
[[nodiscard]] Result cavity(int reynolds, std::int64_t cells, heddle::Transport& transport);

/// A channel whose mean flow is kept at 1, from a plug to Poiseuille's parabola.
[[nodiscard]] Result channel(std::int64_t cells, heddle::Transport& transport);

} // namespace pressure_projection

#endif
