// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLOT_CONTOUR_HPP
#define HEDDLE_PLOT_CONTOUR_HPP

#include <vector>

#include "heddle/plot/plane.hpp"

namespace heddle::plot {

/// The lines on which the bilinear interpolant of `plane` takes the value `level` (marching squares), joined;
/// a closed line ends with its first point. Saddles are resolved by the mean of the four corners; squares
/// with a NaN are left out.
[[nodiscard]] std::vector<Polyline> contour_lines(const Plane& plane, double level);

} // namespace heddle::plot

#endif
