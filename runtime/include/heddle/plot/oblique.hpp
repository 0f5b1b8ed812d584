// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLOT_OBLIQUE_HPP
#define HEDDLE_PLOT_OBLIQUE_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "heddle/plot/plane.hpp"
#include "heddle/plot/raster.hpp"

namespace heddle::plot {

using Vec3 = std::array<double, 3>;

/// A point of view on a scene with z upwards.
struct Camera {
  Vec3 target{}; ///< what stands in the middle of the picture
  double azimuth =
      0; ///< radians: the viewer stands in this direction from the target, counter-clockwise from +x
  double elevation = 0.5; ///< radians above the horizon
  double distance = 10;   ///< from the target
  double view = 0.5;      ///< angle of view across the picture's width, radians
};

/// A perspective picture of opaque surfaces with a depth buffer, four samples a pixel.
class Oblique {
public:
  /// Throws Error where a size is not positive.
  Oblique(int width, int height, const Camera& camera);

  /// A curved sheet of (nu - 1) x (nv - 1) quads: the position and the colour of its point (i, j).
  void sheet(std::int64_t nu, std::int64_t nv,
             const std::function<Vec3(std::int64_t, std::int64_t)>& position,
             const std::function<Colour(std::int64_t, std::int64_t)>& colour);

  /// Pixel of a point; nothing behind the viewer.
  [[nodiscard]] std::optional<Vec2> project(const Vec3& point) const;
  /// No surface drawn so far hides the point; `tolerance` is how far it may lie behind one.
  [[nodiscard]] bool visible(const Vec3& point, double tolerance) const;
  /// Distance of the point from the viewer, along the direction of view.
  [[nodiscard]] double depth(const Vec3& point) const;

  /// The picture; transparent where there is no surface.
  [[nodiscard]] Raster raster() const;

private:
  struct Corner {
    double x, y, depth; // x and y in samples
    Colour colour;
  };
  [[nodiscard]] Corner corner(const Vec3& point, const Colour& colour) const;
  void triangle(const Corner& a, const Corner& b, const Corner& c);

  int width_, height_; // samples
  Camera camera_;
  Vec3 eye_{}, forward_{}, right_{}, up_{};
  double scale_ = 1; // samples for a unit at distance 1
  std::vector<float> depth_;
  std::vector<Colour> colours_;
};

} // namespace heddle::plot

#endif
