// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLOT_RELIEF_HPP
#define HEDDLE_PLOT_RELIEF_HPP

#include "heddle/plot/plane.hpp"

namespace heddle::plot {

/// Where the light comes from. Maps are read with light from the upper left; from below, hills look like
/// holes.
struct Sun {
  double azimuth = 2.356; ///< radians from +x, counter-clockwise: 3 pi / 4 is the upper left
  double altitude = 0.7;  ///< radians above the horizon
  double exaggeration = 1.5;
  bool shadows = true; ///< points whose view of the sun is blocked are darkened
};

/// Brightness in [0, 1] of a surface of heights (same unit as dx, dy): Lambert's cosine law, times 1 - 0.45 s
/// where the fraction s of the sun is hidden behind higher ground.
[[nodiscard]] Plane hillshade(const Plane& heights, const Sun& sun = {});

} // namespace heddle::plot

#endif
