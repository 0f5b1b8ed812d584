// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLOT_RASTER_HPP
#define HEDDLE_PLOT_RASTER_HPP

#include <cstddef>
#include <vector>

#include "heddle/plot/colour_map.hpp"

namespace heddle::plot {

/// Colours of a rectangle of pixels, row 0 at the top.
struct Raster {
  int width = 0;
  int height = 0;
  std::vector<Colour> pixels;

  [[nodiscard]] Colour& at(int x, int y) {
    return pixels[static_cast<std::size_t>(x) +
                  static_cast<std::size_t>(width) * static_cast<std::size_t>(y)];
  }
  [[nodiscard]] const Colour& at(int x, int y) const {
    return pixels[static_cast<std::size_t>(x) +
                  static_cast<std::size_t>(width) * static_cast<std::size_t>(y)];
  }
};

} // namespace heddle::plot

#endif
