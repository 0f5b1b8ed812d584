// SPDX-License-Identifier: Apache-2.0
// Own code on Cairo: for matplotlib or PyVista a compiled program would start Python (decision 0143).
#include "heddle/plot/figure.hpp"

#include <cairo.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <numbers>
#include <sstream>
#include <system_error>

#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"

namespace heddle::plot {
namespace {

constexpr double half_capital = 0.365; // of the size of the type: half the height of a capital in DejaVu Sans

/// Cairo's ARGB32: premultiplied, native byte order.
std::uint32_t packed(const Colour& colour) {
  const double alpha = std::clamp(colour.alpha, 0.0, 1.0);
  const auto byte = [&](double value, double factor) {
    return static_cast<std::uint32_t>(std::lround(std::clamp(value, 0.0, 1.0) * factor * 255));
  };
  return byte(alpha, 1) << 24 | byte(colour.red, alpha) << 16 | byte(colour.green, alpha) << 8 |
         byte(colour.blue, alpha);
}

struct SurfaceRelease {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct ContextRelease {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceRelease>;
using Context = std::unique_ptr<cairo_t, ContextRelease>;

Surface make_surface(int width, int height) {
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
    throw Error("Figure",
                "cannot create a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                    " pixels",
                cairo_status_to_string(cairo_surface_status(surface.get())));
  return surface;
}

void set_colour(cairo_t* cr, const Colour& c) {
  cairo_set_source_rgba(cr, c.red, c.green, c.blue, c.alpha);
}

void set_path(cairo_t* cr, const Polyline& points) {
  cairo_new_path(cr);
  for (const Vec2& point : points)
    cairo_line_to(cr, point.x, point.y);
}

void set_font(cairo_t* cr, const TextStyle& style) {
  cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, style.size);
}

cairo_status_t write_bytes(void* file, const unsigned char* data, unsigned int length) {
  auto& stream = *static_cast<std::ofstream*>(file);
  stream.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(length));
  return stream ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

} // namespace

struct Figure::Drawing {
  Surface surface;
  Context context;
};

Figure::Figure(int width, int height, const Colour& background) : drawing_(std::make_unique<Drawing>()) {
  if (width < 1 || height < 1)
    throw Error("Figure", "the width or the height is below 1 pixel", "give both in pixels");
  drawing_->surface = make_surface(width, height);
  drawing_->context.reset(cairo_create(drawing_->surface.get()));
  cairo_t* cr = drawing_->context.get();
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_antialias(cr, CAIRO_ANTIALIAS_BEST);
  set_colour(cr, background);
  cairo_paint(cr);
}

Figure::~Figure() = default;
Figure::Figure(Figure&&) noexcept = default;
Figure& Figure::operator=(Figure&&) noexcept = default;

int Figure::width() const {
  return cairo_image_surface_get_width(drawing_->surface.get());
}
int Figure::height() const {
  return cairo_image_surface_get_height(drawing_->surface.get());
}

void Figure::line(const Polyline& points, const Stroke& stroke) {
  cairo_t* cr = drawing_->context.get();
  set_path(cr, points);
  set_colour(cr, stroke.colour);
  cairo_set_line_width(cr, stroke.width);
  cairo_set_dash(cr, stroke.dashes.data(), static_cast<int>(stroke.dashes.size()), 0);
  cairo_stroke(cr);
}

void Figure::polygon(const Polyline& points, const Colour& fill) {
  cairo_t* cr = drawing_->context.get();
  set_path(cr, points);
  cairo_close_path(cr);
  set_colour(cr, fill);
  cairo_fill(cr);
}

double Figure::text_width(const std::string& text, const TextStyle& style) const {
  cairo_t* cr = drawing_->context.get();
  set_font(cr, style);
  cairo_text_extents_t extents;
  cairo_text_extents(cr, text.c_str(), &extents);
  return extents.x_advance;
}

std::vector<std::string> Figure::lines(const std::string& text, const TextStyle& style, double width) const {
  std::vector<std::string> found;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string longer = found.empty() ? word : found.back() + " " + word;
    if (found.empty() || text_width(longer, style) > width)
      found.push_back(word);
    else
      found.back() = longer;
  }
  return found;
}

void Figure::text(const Vec2& at, const std::string& text, const TextStyle& style) {
  cairo_t* cr = drawing_->context.get();
  const double width = text_width(text, style);
  const double shift = style.anchor == Anchor::left ? 0 : style.anchor == Anchor::centre ? width / 2 : width;
  cairo_save(cr);
  cairo_translate(cr, at.x, at.y);
  cairo_rotate(cr, -style.turn);
  cairo_move_to(cr, -shift, half_capital * style.size);
  if (style.halo > 0) {
    cairo_text_path(cr, text.c_str());
    set_colour(cr, style.halo_colour);
    cairo_set_line_width(cr, 2 * style.halo);
    cairo_set_dash(cr, nullptr, 0, 0);
    cairo_stroke(cr);
    cairo_move_to(cr, -shift, half_capital * style.size);
  }
  set_colour(cr, style.colour);
  cairo_show_text(cr, text.c_str());
  cairo_restore(cr);
}

void Figure::image(const Vec2& at, const Raster& raster) {
  const Surface surface = make_surface(raster.width, raster.height);
  cairo_surface_flush(surface.get());
  unsigned char* data = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int y = 0; y < raster.height; ++y)
    for (int x = 0; x < raster.width; ++x) {
      const std::uint32_t value = packed(raster.at(x, y));
      std::memcpy(data + static_cast<std::ptrdiff_t>(y) * stride + 4 * static_cast<std::ptrdiff_t>(x), &value,
                  4);
    }
  cairo_surface_mark_dirty(surface.get());
  cairo_t* cr = drawing_->context.get();
  cairo_set_source_surface(cr, surface.get(), at.x, at.y);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_rectangle(cr, at.x, at.y, raster.width, raster.height);
  cairo_fill(cr);
}

void Figure::colour_bar(const Rect& area, const ColourMap& map, Range range, const std::string& label,
                        const TextStyle& style) {
  Raster raster{static_cast<int>(std::lround(area.width)), static_cast<int>(std::lround(area.height)), {}};
  for (int y = 0; y < raster.height; ++y)
    raster.pixels.insert(raster.pixels.end(), static_cast<std::size_t>(raster.width),
                         map(1 - (y + 0.5) / raster.height));
  image({area.left, area.top}, raster);
  const double right = area.left + area.width;
  line({{area.left, area.top},
        {right, area.top},
        {right, area.top + area.height},
        {area.left, area.top + area.height},
        {area.left, area.top}},
       {style.colour, 1, {}});
  const Ticks ticks = round_ticks(range, std::max(2, static_cast<int>(area.height / (3.2 * style.size))));
  TextStyle mark = style;
  mark.anchor = Anchor::left;
  for (std::size_t n = 0; n < ticks.values.size(); ++n) {
    const double y = area.top + area.height * (1 - range.fraction(ticks.values[n]));
    line({{right, y}, {right + 0.4 * style.size, y}}, {style.colour, 1, {}});
    text({right + 0.7 * style.size, y}, ticks.labels[n], mark);
  }
  text({area.left, area.top - 1.2 * style.size}, label, mark);
}

void Figure::clip(const Rect& area) {
  cairo_t* cr = drawing_->context.get();
  cairo_save(cr);
  cairo_rectangle(cr, area.left, area.top, area.width, area.height);
  cairo_clip(cr);
}

void Figure::unclip() {
  cairo_restore(drawing_->context.get());
}

Colour Figure::pixel(int x, int y) const {
  cairo_surface_t* surface = drawing_->surface.get();
  cairo_surface_flush(surface);
  std::uint32_t value = 0;
  std::memcpy(&value,
              cairo_image_surface_get_data(surface) +
                  static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(surface) +
                  4 * static_cast<std::ptrdiff_t>(x),
              4);
  const auto channel = [&](int shift) { return static_cast<double>(value >> shift & 0xFFU) / 255; };
  const double alpha = channel(24);
  const double scale = alpha > 0 ? 1 / alpha : 0;
  return {channel(16) * scale, channel(8) * scale, channel(0) * scale, alpha};
}

void Figure::save_png(const std::filesystem::path& path) const {
  std::filesystem::path beside = path;
  beside += ".part";
  const std::string where = "picture '" + path.string() + "'";
  errno = 0;
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  const bool opened = file.is_open();
  if (opened) {
    cairo_surface_write_to_png_stream(drawing_->surface.get(), write_bytes, &file);
    file.close();
  }
  if (!opened || !file) {
    const std::string reason = std::generic_category().message(errno);
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    throw Error(where, "it cannot be written: " + reason,
                "check the folder, its permissions and the free space");
  }
  std::error_code status;
  std::filesystem::rename(beside, path, status);
  if (status)
    throw Error(where, "it cannot be moved to its final name: " + status.message(),
                "check the folder's permissions");
}

void Panel::paint(const std::function<Colour(double, double)>& colour) {
  Raster raster{static_cast<int>(std::lround(area_.width)), static_cast<int>(std::lround(area_.height)), {}};
  raster.pixels.resize(static_cast<std::size_t>(raster.width) * static_cast<std::size_t>(raster.height));
  parallel_ranges(raster.height, [&](std::int64_t first, std::int64_t last) {
    for (int py = static_cast<int>(first); py < static_cast<int>(last); ++py)
      for (int px = 0; px < raster.width; ++px)
        raster.at(px, py) = colour(x_.lower + (x_.upper - x_.lower) * (px + 0.5) / raster.width,
                                   y_.upper - (y_.upper - y_.lower) * (py + 0.5) / raster.height);
  });
  figure_->image({area_.left, area_.top}, raster);
}

void Panel::line(const Polyline& points, const Stroke& stroke) {
  Polyline pixels;
  for (const Vec2& point : points)
    pixels.push_back(pixel(point));
  figure_->clip(area_);
  figure_->line(pixels, stroke);
  figure_->unclip();
}

void Panel::lines(const std::vector<Polyline>& lines, const Stroke& stroke) {
  for (const Polyline& points : lines)
    line(points, stroke);
}

void Panel::polygon(const Polyline& points, const Colour& fill) {
  Polyline pixels;
  for (const Vec2& point : points)
    pixels.push_back(pixel(point));
  figure_->clip(area_);
  figure_->polygon(pixels, fill);
  figure_->unclip();
}

void Panel::text(const Vec2& at, const std::string& text, const TextStyle& style) {
  figure_->text(pixel(at), text, style);
}

void Panel::head(const Vec2& tip, const Vec2& direction, double size, const Colour& colour) {
  const Vec2 side{-direction.y, direction.x};
  const auto corner = [&](double along, double across) {
    return Vec2{tip.x + size * (along * direction.x + across * side.x),
                tip.y + size * (along * direction.y + across * side.y)};
  };
  figure_->polygon({corner(0.5, 0), corner(-0.5, 0.38), corner(-0.28, 0), corner(-0.5, -0.38)}, colour);
}

void Panel::flow_lines(const std::vector<Polyline>& lines, const Stroke& stroke, double spacing,
                       double head_size) {
  figure_->clip(area_);
  for (const Polyline& points : lines) {
    Polyline pixels;
    for (const Vec2& point : points)
      pixels.push_back(pixel(point));
    figure_->line(pixels, stroke);
    double until_head = spacing / 2;
    for (std::size_t n = 1; n < pixels.size(); ++n) {
      const Vec2 d{pixels[n].x - pixels[n - 1].x, pixels[n].y - pixels[n - 1].y};
      const double length = std::hypot(d.x, d.y);
      until_head -= length;
      if (until_head > 0 || length == 0) continue;
      head(pixels[n], {d.x / length, d.y / length}, head_size, stroke.colour);
      until_head = spacing;
    }
  }
  figure_->unclip();
}

void Panel::vectors(const Plane& u, const Plane& v, const Stroke& stroke, double spacing, double longest) {
  figure_->clip(area_);
  for (double py = spacing / 2; py < area_.height; py += spacing)
    for (double px = spacing / 2; px < area_.width; px += spacing) {
      const double x = x_.lower + (x_.upper - x_.lower) * px / area_.width;
      const double y = y_.upper - (y_.upper - y_.lower) * py / area_.height;
      const Vec2 velocity{u.linear(x, y), -v.linear(x, y)};
      const double speed = std::hypot(velocity.x, velocity.y);
      if (!(speed > 0)) continue;
      const double length = spacing * speed / longest;
      const Vec2 direction{velocity.x / speed, velocity.y / speed};
      const Vec2 tail{area_.left + px - direction.x * length / 2, area_.top + py - direction.y * length / 2};
      const Vec2 tip{tail.x + direction.x * length, tail.y + direction.y * length};
      const double head_size = std::min(0.4 * spacing, 0.7 * length);
      figure_->line({tail, tip}, stroke);
      head(tip, direction, head_size, stroke.colour);
    }
  figure_->unclip();
}

void Panel::axes(const std::string& x_label, const std::string& y_label, const TextStyle& style, int x_ticks,
                 int y_ticks) {
  const double left = area_.left;
  const double right = area_.left + area_.width;
  const double top = area_.top;
  const double bottom = area_.top + area_.height;
  const Stroke frame{style.colour, 1.2, {}};
  figure_->line({{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}}, frame);
  const double tick = 0.4 * style.size;
  TextStyle mark = style;
  mark.anchor = Anchor::centre;
  const Ticks xs = round_ticks(x_, x_ticks);
  for (std::size_t n = 0; n < xs.values.size(); ++n) {
    const double x = left + area_.width * x_.fraction(xs.values[n]);
    figure_->line({{x, bottom}, {x, bottom + tick}}, frame);
    figure_->text({x, bottom + tick + 0.9 * style.size}, xs.labels[n], mark);
  }
  figure_->text({(left + right) / 2, bottom + tick + 2.4 * style.size}, x_label, mark);
  mark.anchor = Anchor::right;
  double widest = 0;
  const Ticks ys = round_ticks(y_, y_ticks);
  for (std::size_t n = 0; n < ys.values.size(); ++n) {
    const double y = bottom - area_.height * y_.fraction(ys.values[n]);
    figure_->line({{left - tick, y}, {left, y}}, frame);
    figure_->text({left - 1.6 * tick, y}, ys.labels[n], mark);
    widest = std::max(widest, figure_->text_width(ys.labels[n], mark));
  }
  mark.anchor = Anchor::centre;
  mark.turn = std::numbers::pi / 2;
  figure_->text({left - 1.6 * tick - widest - style.size, (top + bottom) / 2}, y_label, mark);
}

} // namespace heddle::plot
