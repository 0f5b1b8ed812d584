// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLOT_STREAMLINE_HPP
#define HEDDLE_PLOT_STREAMLINE_HPP

#include <vector>

#include "heddle/plot/plane.hpp"

namespace heddle::plot {

/// How dense streamlines are, and how finely they are computed.
struct StreamlineOptions {
  double separation = 1;  ///< distance between lines, in the unit of x and y
  double shortest = 3;    ///< lines shorter than this many separations are dropped
  double step = 0.25;     ///< length of an integration step in grid spacings
  double still_speed = 0; ///< a line ends where the speed is at or below this
};

/// Evenly spaced streamlines of the velocity (u, v), two planes of the same grid: Jobard & Lefer, "Creating
/// evenly-spaced streamlines of arbitrary density" (1997), with fourth-order Runge-Kutta steps of equal arc
/// length. Lines run downstream. They end at the rim, at NaN, where it is still, or half a separation from
/// another line. Throws Error where u and v are not on the same grid or the separation is not positive.
[[nodiscard]] std::vector<Polyline> streamlines(const Plane& u, const Plane& v,
                                                const StreamlineOptions& options);

} // namespace heddle::plot

#endif
