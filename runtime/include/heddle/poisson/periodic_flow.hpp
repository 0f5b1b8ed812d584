// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POISSON_PERIODIC_FLOW_HPP
#define HEDDLE_POISSON_PERIODIC_FLOW_HPP

#include <cstdint>

namespace heddle {

/// Velocities on the faces of a staggered grid (see StaggeredGrid) that is periodic along x and y and closed
/// below and above, for a solver that takes their divergence when it first reads a row, and corrects them
/// when it last has the pressure of one. With nx, ny, nz cells, u has a column of faces more along x, v along
/// y, w along z. Pairs of cells (0, 1), (2, 3), ... of a row lie at multiples of 2 reals.
template <class Real> struct PeriodicFlow {
  struct Component {
    Real* first;             // face 0, 0, 0
    std::int64_t row, plane; // reals to the next one; along x faces follow each other
  };
  Component u, v, w;
  const Real *per_height, *density;        // of levels 0 ... nz - 1
  const Real *per_distance, *face_density; // of faces 0 ... nz
  Real per_x, per_y, step, per_step;
  Real below, above; // w at the lowest and the highest faces
  /// Whether levels of another rank follow: no wall is there. The field then also has the plane below the
  /// first level, and the face above the last level is the other rank's.
  bool neighbour_below = false, neighbour_above = false;
  int lower, upper; // ghost layers along x and y that a correction fills, at most 4; upper: at least 1
};

} // namespace heddle

#endif
