// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLOT_COLOUR_MAP_HPP
#define HEDDLE_PLOT_COLOUR_MAP_HPP

#include <vector>

namespace heddle::plot {

/// sRGB with opacity, all in [0, 1].
struct Colour {
  double red = 0;
  double green = 0;
  double blue = 0;
  double alpha = 1;
};

/// `a` at t = 0, `b` at t = 1.
[[nodiscard]] Colour mix(const Colour& a, const Colour& b, double t);

/// Multiplies the three colours by `factor` (a shade), clipped to [0, 1].
[[nodiscard]] Colour shade(const Colour& colour, double factor);

/// Where on the colour wheel and how vivid a map is at one of its equally spaced control points.
struct Tint {
  double hue; ///< degrees in OKLab's a-b plane: 30 red, 110 yellow, 145 green, 195 teal, 265 blue, 300 violet
  double chroma; ///< 0 grey; reduced where sRGB cannot show it
};

/// Values in [0, 1] to colours. Lightness rises linearly between two ends in OKLab (Ottosson 2020), so that
/// equal steps of the value look like equal steps and the map survives grey-scale print; only hue and chroma
/// are chosen by hand.
class ColourMap {
public:
  ColourMap(double dark, double light, const std::vector<Tint>& tints);

  /// Values outside [0, 1] take the colour of the end.
  [[nodiscard]] Colour operator()(double value) const;

  /// Violet, blue, teal, green, yellow: for a magnitude.
  static const ColourMap& wind();
  /// Black, violet, red, orange, pale yellow: for a magnitude on a dark figure.
  static const ColourMap& ember();
  /// Green valleys, ochre slopes, pale summits: for heights.
  static const ColourMap& terrain();

private:
  std::vector<Colour> table_;
};

/// OKLab lightness of a colour: 0 black, 1 white.
[[nodiscard]] double lightness(const Colour& colour);

} // namespace heddle::plot

#endif
