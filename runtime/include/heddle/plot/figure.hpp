// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLOT_FIGURE_HPP
#define HEDDLE_PLOT_FIGURE_HPP

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heddle/plot/colour_map.hpp"
#include "heddle/plot/plane.hpp"
#include "heddle/plot/raster.hpp"
#include "heddle/plot/ticks.hpp"

namespace heddle::plot {

/// A rectangle of the figure in pixels, y downwards.
struct Rect {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

/// How a line is drawn.
struct Stroke {
  Colour colour;
  double width = 1;                ///< pixels
  std::vector<double> dashes = {}; ///< lengths of ink and gap, pixels; empty: solid
};

/// Where the given point lies on the text.
enum class Anchor { left, centre, right };

/// How a text is drawn.
struct TextStyle {
  double size = 14; ///< pixels
  Colour colour;
  Anchor anchor = Anchor::left; ///< along the text; across it the point is at half the height of a capital
  bool bold = false;
  double turn = 0; ///< radians, counter-clockwise
  double halo = 0; ///< width of an outline that sets the text off what lies below, pixels
  Colour halo_colour{1, 1, 1, 0.8};
};

/// A picture in pixels (origin at the upper left, y downwards), drawn with Cairo: anti-aliased lines and
/// text.
class Figure {
public:
  /// Throws Error where there is no memory or a size is not positive.
  Figure(int width, int height, const Colour& background);
  ~Figure();
  Figure(Figure&&) noexcept;
  Figure& operator=(Figure&&) noexcept;

  [[nodiscard]] int width() const;
  [[nodiscard]] int height() const;

  void line(const Polyline& points, const Stroke& stroke);
  void polygon(const Polyline& points, const Colour& fill);
  void text(const Vec2& at, const std::string& text, const TextStyle& style);
  /// Width of `text` as it would be drawn, pixels.
  [[nodiscard]] double text_width(const std::string& text, const TextStyle& style) const;
  /// `text` in lines that are at most `width` pixels wide, broken at spaces; a longer word has a line of its
  /// own.
  [[nodiscard]] std::vector<std::string> lines(const std::string& text, const TextStyle& style,
                                               double width) const;
  /// Puts a raster's upper left corner at `at`, one of its pixels on one of the figure's.
  void image(const Vec2& at, const Raster& raster);
  /// A vertical bar of `map` over `range` with ticks and labels on its right, and `label` above it.
  void colour_bar(const Rect& area, const ColourMap& map, Range range, const std::string& label,
                  const TextStyle& style);

  /// What is drawn until `unclip` stays inside `area`.
  void clip(const Rect& area);
  void unclip();

  /// Colour of one pixel as it stands.
  [[nodiscard]] Colour pixel(int x, int y) const;

  /// Writes beside `path` and renames, so that `path` holds the old picture or the new one, never a part of
  /// one. Throws Error where the file cannot be written (no such folder, full disk).
  void save_png(const std::filesystem::path& path) const;

private:
  struct Drawing;
  std::unique_ptr<Drawing> drawing_;
};

/// A rectangle of a figure with data coordinates, y upwards.
class Panel {
public:
  Panel(Figure& figure, const Rect& area, Range x, Range y) : figure_(&figure), area_(area), x_(x), y_(y) {}

  [[nodiscard]] Vec2 pixel(const Vec2& point) const {
    return {area_.left + area_.width * x_.fraction(point.x),
            area_.top + area_.height * (1 - y_.fraction(point.y))};
  }
  [[nodiscard]] const Rect& area() const { return area_; }

  /// Colours every pixel by a function of its centre's data coordinates; `colour` is called from several
  /// threads.
  void paint(const std::function<Colour(double x, double y)>& colour);
  void line(const Polyline& points, const Stroke& stroke);
  void lines(const std::vector<Polyline>& lines, const Stroke& stroke);
  void polygon(const Polyline& points, const Colour& fill);
  void text(const Vec2& at, const std::string& text, const TextStyle& style);
  /// Lines with a head every `spacing` pixels, in the direction in which they run.
  void flow_lines(const std::vector<Polyline>& lines, const Stroke& stroke, double spacing, double head);
  /// Arrows for the velocity (u, v) on a lattice of `spacing` pixels; a speed of `longest` is as long as the
  /// spacing.
  void vectors(const Plane& u, const Plane& v, const Stroke& stroke, double spacing, double longest);
  /// Frame, ticks and labels.
  void axes(const std::string& x_label, const std::string& y_label, const TextStyle& style, int x_ticks = 6,
            int y_ticks = 5);

private:
  void head(const Vec2& tip, const Vec2& direction, double size, const Colour& colour);

  Figure* figure_;
  Rect area_;
  Range x_, y_;
};

} // namespace heddle::plot

#endif
