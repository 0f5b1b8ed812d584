// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/oblique.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heddle/core/error.hpp"

namespace heddle::plot {
namespace {

constexpr int samples = 2; // along x and along y, for one pixel

double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec3 difference(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

} // namespace

Oblique::Oblique(int width, int height, const Camera& camera)
    : width_(width * samples), height_(height * samples), camera_(camera) {
  if (width < 1 || height < 1)
    throw Error("Oblique", "the width or the height is below 1 pixel", "give both in pixels");
  const double c = std::cos(camera.elevation);
  const double s = std::sin(camera.elevation);
  const Vec3 back{c * std::cos(camera.azimuth), c * std::sin(camera.azimuth), s};
  for (std::size_t n = 0; n < 3; ++n) {
    eye_[n] = camera.target[n] + camera.distance * back[n];
    forward_[n] = -back[n];
  }
  right_ = {-std::sin(camera.azimuth), std::cos(camera.azimuth), 0};
  up_ = {-s * std::cos(camera.azimuth), -s * std::sin(camera.azimuth), c};
  scale_ = width_ / 2.0 / std::tan(camera.view / 2);
  const std::size_t count = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  depth_.assign(count, std::numeric_limits<float>::infinity());
  colours_.assign(count, Colour{0, 0, 0, 0});
}

double Oblique::depth(const Vec3& point) const {
  return dot(difference(point, eye_), forward_);
}

Oblique::Corner Oblique::corner(const Vec3& point, const Colour& colour) const {
  const Vec3 d = difference(point, eye_);
  const double z = dot(d, forward_);
  return {width_ / 2.0 + scale_ * dot(d, right_) / z, height_ / 2.0 - scale_ * dot(d, up_) / z, z, colour};
}

std::optional<Vec2> Oblique::project(const Vec3& point) const {
  const Corner c = corner(point, {});
  if (!(c.depth > 0)) return std::nullopt;
  return Vec2{c.x / samples, c.y / samples};
}

bool Oblique::visible(const Vec3& point, double tolerance) const {
  const Corner c = corner(point, {});
  if (!(c.depth > 0) || c.x < 0 || c.y < 0 || c.x >= width_ || c.y >= height_) return false;
  const auto at =
      static_cast<std::size_t>(c.x) + static_cast<std::size_t>(width_) * static_cast<std::size_t>(c.y);
  return c.depth <= static_cast<double>(depth_[at]) + tolerance;
}

void Oblique::sheet(std::int64_t nu, std::int64_t nv,
                    const std::function<Vec3(std::int64_t, std::int64_t)>& position,
                    const std::function<Colour(std::int64_t, std::int64_t)>& colour) {
  std::vector<Corner> below(static_cast<std::size_t>(nu));
  std::vector<Corner> above(static_cast<std::size_t>(nu));
  for (std::int64_t j = 0; j < nv; ++j) {
    for (std::int64_t i = 0; i < nu; ++i)
      above[static_cast<std::size_t>(i)] = corner(position(i, j), colour(i, j));
    for (std::size_t i = 1; j > 0 && i < above.size(); ++i) {
      triangle(below[i - 1], below[i], above[i]);
      triangle(below[i - 1], above[i], above[i - 1]);
    }
    std::swap(below, above);
  }
}

void Oblique::triangle(const Corner& a, const Corner& b, const Corner& c) {
  if (!(a.depth > 0 && b.depth > 0 && c.depth > 0)) return;
  const double area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  if (area == 0) return;
  const auto first = [](double low, int limit) {
    return std::clamp(static_cast<int>(std::ceil(low - 0.5)), 0, limit);
  };
  const int x_begin = first(std::min({a.x, b.x, c.x}), width_);
  const int x_end = first(std::max({a.x, b.x, c.x}) + 1, width_);
  const int y_begin = first(std::min({a.y, b.y, c.y}), height_);
  const int y_end = first(std::max({a.y, b.y, c.y}) + 1, height_);
  for (int y = y_begin; y < y_end; ++y)
    for (int x = x_begin; x < x_end; ++x) {
      const double px = x + 0.5;
      const double py = y + 0.5;
      const double s = ((px - a.x) * (c.y - a.y) - (c.x - a.x) * (py - a.y)) / area;
      const double t = ((b.x - a.x) * (py - a.y) - (px - a.x) * (b.y - a.y)) / area;
      if (s < 0 || t < 0 || s + t > 1) continue;
      // Linear in the picture is inverse in depth.
      const double depth = 1 / ((1 - s - t) / a.depth + s / b.depth + t / c.depth);
      const auto at =
          static_cast<std::size_t>(x) + static_cast<std::size_t>(width_) * static_cast<std::size_t>(y);
      if (depth >= static_cast<double>(depth_[at])) continue;
      depth_[at] = static_cast<float>(depth);
      const auto blend = [&](double va, double vb, double vc) { return va + s * (vb - va) + t * (vc - va); };
      colours_[at] = {blend(a.colour.red, b.colour.red, c.colour.red),
                      blend(a.colour.green, b.colour.green, c.colour.green),
                      blend(a.colour.blue, b.colour.blue, c.colour.blue), 1};
    }
}

Raster Oblique::raster() const {
  Raster raster{width_ / samples, height_ / samples, {}};
  raster.pixels.resize(static_cast<std::size_t>(raster.width) * static_cast<std::size_t>(raster.height));
  for (int y = 0; y < raster.height; ++y)
    for (int x = 0; x < raster.width; ++x) {
      Colour sum{0, 0, 0, 0};
      for (int b = 0; b < samples; ++b)
        for (int a = 0; a < samples; ++a) {
          const auto at = static_cast<std::size_t>(x * samples + a) +
                          static_cast<std::size_t>(width_) * static_cast<std::size_t>(y * samples + b);
          const Colour& colour = colours_[at];
          sum.red += colour.red * colour.alpha;
          sum.green += colour.green * colour.alpha;
          sum.blue += colour.blue * colour.alpha;
          sum.alpha += colour.alpha;
        }
      if (sum.alpha > 0) {
        const double scale = 1 / sum.alpha;
        raster.at(x, y) = {sum.red * scale, sum.green * scale, sum.blue * scale,
                           sum.alpha / (samples * samples)};
      } else {
        raster.at(x, y) = sum;
      }
    }
  return raster;
}

} // namespace heddle::plot
