// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/streamline.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>
#include <optional>

#include "heddle/core/error.hpp"

namespace heddle::plot {
namespace {

constexpr double stop_fraction = 0.5; // of the separation, at which a growing line ends
constexpr int longest = 20000; // steps of one line: a closed orbit ends by meeting itself, this is the belt

/// Points of finished lines in square bins as wide as the separation.
class Neighbourhood {
public:
  Neighbourhood(Range x, Range y, double separation)
      : x_(x), y_(y), bin_(separation),
        columns_(static_cast<std::int64_t>((x.upper - x.lower) / separation) + 1),
        rows_(static_cast<std::int64_t>((y.upper - y.lower) / separation) + 1),
        bins_(static_cast<std::size_t>(columns_ * rows_)) {}

  void add(const Polyline& line) {
    for (const Vec2& point : line)
      bins_[bin_of(column(point), row(point))].push_back(point);
  }

  [[nodiscard]] bool nearer_than(const Vec2& point, double distance) const {
    for (std::int64_t r = std::max<std::int64_t>(row(point) - 1, 0); r <= std::min(row(point) + 1, rows_ - 1);
         ++r)
      for (std::int64_t c = std::max<std::int64_t>(column(point) - 1, 0);
           c <= std::min(column(point) + 1, columns_ - 1); ++c)
        for (const Vec2& other : bins_[bin_of(c, r)])
          if (std::hypot(other.x - point.x, other.y - point.y) < distance) return true;
    return false;
  }

private:
  [[nodiscard]] std::int64_t column(const Vec2& p) const {
    return std::clamp(static_cast<std::int64_t>((p.x - x_.lower) / bin_), std::int64_t{0}, columns_ - 1);
  }
  [[nodiscard]] std::int64_t row(const Vec2& p) const {
    return std::clamp(static_cast<std::int64_t>((p.y - y_.lower) / bin_), std::int64_t{0}, rows_ - 1);
  }
  [[nodiscard]] std::size_t bin_of(std::int64_t c, std::int64_t r) const {
    return static_cast<std::size_t>(c + columns_ * r);
  }

  Range x_, y_;
  double bin_;
  std::int64_t columns_, rows_;
  std::vector<std::vector<Vec2>> bins_;
};

class Tracer {
public:
  Tracer(const Plane& u, const Plane& v, const StreamlineOptions& options)
      : u_(u), v_(v), options_(options), lines_(u.x_range(), u.y_range(), options.separation),
        step_(options.step * std::min(u.dx, u.dy)) {}

  [[nodiscard]] bool free(const Vec2& seed) const {
    return direction(seed) && !lines_.nearer_than(seed, options_.separation);
  }

  /// The line through `seed`, upstream part included; registered unless it is too short.
  std::optional<Polyline> trace(const Vec2& seed) {
    Polyline line = half(seed, -1);
    std::reverse(line.begin(), line.end());
    line.push_back(seed);
    const Polyline ahead = half(seed, 1);
    line.insert(line.end(), ahead.begin(), ahead.end());
    if (static_cast<double>(line.size()) * step_ < options_.shortest * options_.separation)
      return std::nullopt;
    lines_.add(line);
    return line;
  }

private:
  [[nodiscard]] bool inside(const Vec2& p) const {
    const Range x = u_.x_range();
    const Range y = u_.y_range();
    return p.x >= x.lower && p.x <= x.upper && p.y >= y.lower && p.y <= y.upper;
  }

  /// Unit vector of the flow; nothing outside, at NaN and where the air is still.
  [[nodiscard]] std::optional<Vec2> direction(const Vec2& p) const {
    if (!inside(p)) return std::nullopt;
    const double u = u_.linear(p.x, p.y);
    const double v = v_.linear(p.x, p.y);
    const double speed = std::hypot(u, v);
    if (!(speed > options_.still_speed)) return std::nullopt;
    return Vec2{u / speed, v / speed};
  }

  [[nodiscard]] std::optional<Vec2> advance(const Vec2& p, double h) const {
    const auto moved = [&](const std::optional<Vec2>& d, double s) {
      return d ? std::optional<Vec2>({p.x + s * d->x, p.y + s * d->y}) : std::nullopt;
    };
    const auto slope = [&](const std::optional<Vec2>& q) { return q ? direction(*q) : std::nullopt; };
    const auto k1 = direction(p);
    const auto k2 = slope(moved(k1, h / 2));
    const auto k3 = slope(moved(k2, h / 2));
    const auto k4 = slope(moved(k3, h));
    if (!k1 || !k2 || !k3 || !k4) return std::nullopt;
    return Vec2{p.x + h / 6 * (k1->x + 2 * k2->x + 2 * k3->x + k4->x),
                p.y + h / 6 * (k1->y + 2 * k2->y + 2 * k3->y + k4->y)};
  }

  [[nodiscard]] Polyline half(const Vec2& seed, int sign) const {
    Polyline line;
    Vec2 here = seed;
    const double reach = stop_fraction * options_.separation;
    std::optional<Vec2> before = direction(seed);
    double turned = 0;
    for (int n = 0; n < longest; ++n) {
      const std::optional<Vec2> next = advance(here, sign * step_);
      if (!next || !inside(*next) || lines_.nearer_than(*next, reach)) break;
      // One full turn: the line is closed, or it winds around a centre.
      const std::optional<Vec2> heading = direction(*next);
      if (before && heading)
        turned += std::atan2(before->x * heading->y - before->y * heading->x,
                             before->x * heading->x + before->y * heading->y);
      if (std::abs(turned) > 2 * std::numbers::pi) break;
      before = heading;
      line.push_back(*next);
      here = *next;
    }
    return line;
  }

  const Plane& u_;
  const Plane& v_;
  StreamlineOptions options_;
  Neighbourhood lines_;
  double step_;
};

} // namespace

std::vector<Polyline> streamlines(const Plane& u, const Plane& v, const StreamlineOptions& options) {
  if (u.nx != v.nx || u.ny != v.ny)
    throw Error("streamlines", "u and v are on different grids", "sample both on the same grid");
  if (!(options.separation > 0))
    throw Error("streamlines", "the separation is not positive", "give a positive distance in the unit of x");
  Tracer tracer(u, v, options);
  std::vector<Polyline> lines;
  std::deque<std::size_t> queue;
  const auto try_seed = [&](const Vec2& seed) {
    if (!tracer.free(seed)) return;
    if (std::optional<Polyline> line = tracer.trace(seed)) {
      lines.push_back(std::move(*line));
      queue.push_back(lines.size() - 1);
    }
  };
  const auto grow = [&] {
    while (!queue.empty()) {
      const std::size_t n = queue.front();
      queue.pop_front();
      for (std::size_t k = 1; k < lines[n].size(); k += 2) {
        const Vec2 a = lines[n][k - 1];
        const Vec2 b = lines[n][k];
        const double length = std::hypot(b.x - a.x, b.y - a.y);
        if (length == 0) continue;
        const Vec2 normal{-(b.y - a.y) / length, (b.x - a.x) / length};
        for (const double side : {1.0, -1.0}) {
          const double d = side * options.separation * 1.001;
          try_seed({b.x + d * normal.x, b.y + d * normal.y});
        }
      }
    }
  };
  // The first line grows from the middle; a coarse lattice of further seeds reaches regions that are cut off.
  const Range x = u.x_range();
  const Range y = u.y_range();
  try_seed({(x.lower + x.upper) / 2, (y.lower + y.upper) / 2});
  grow();
  for (double sy = y.lower + options.separation / 2; sy < y.upper; sy += options.separation)
    for (double sx = x.lower + options.separation / 2; sx < x.upper; sx += options.separation) {
      try_seed({sx, sy});
      grow();
    }
  return lines;
}

} // namespace heddle::plot
