// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GEOMETRY_LINK_CROSSINGS_HPP
#define HEDDLE_SRC_GEOMETRY_LINK_CROSSINGS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "heddle/geometry/mesh.hpp"

namespace heddle::geometry {

/// How far beside a triangle, or before and behind a link's ends, a crossing still counts, in cells. It is
/// far more than what rounding moves, and as little as f32 can tell from a wall at a cell's centre.
inline constexpr double crossing_tolerance = 1e-7;
/// A triangle that is no higher than this where it is seen along a link is seen edge-on: where the link meets
/// its plane is a matter of rounding. What it covers lies within the tolerance of the triangles beside it.
inline constexpr double edge_on = crossing_tolerance / 10;

/// Calls f(cell, fraction) for each link from `cell` to `cell + c` that a triangle crosses, 0 <= fraction <=
/// 1 being where, in units of |c|. corners: in cells, such that cell (i, j, k) has its centre at (i, j, k).
/// c: components -1, 0 or 1, the first that is not 0 is 1. extent: of a box of cells; links without an end in
/// it are left out.
///
/// All cells of a line along c are one point of the plane that remains when c is sheared onto an axis, and
/// the points of all lines are the integer ones of that plane. So the lines that meet a triangle are read off
/// row by row, and nobody searches: barycentric coordinates give the depth on the line, which is the test of
/// Moeller and Trumbore (1997) for all lines at once. Triangles that share an edge compute the same number
/// for where a row meets it, and both count what lies on it: a link through an edge or a corner is not lost.
/// A triangle that is seen edge-on crosses nothing; where a link lies in its plane, those beside it have the
/// crossing.
template <class F>
void for_crossings(const std::array<Point, 3>& corners, const std::array<int, 3>& c,
                   const std::array<std::int64_t, 3>& extent, F&& f) {
  struct Corner {
    double u, v, depth;
  };
  const std::size_t k = c[0] != 0 ? 0 : c[1] != 0 ? 1 : 2, a = (k + 1) % 3, b = (k + 2) % 3;
  std::array<Corner, 3> corner{};
  for (std::size_t i = 0; i < 3; ++i) {
    const Point& point = corners[i];
    corner[i] = {point[a] - c[a] * point[k], point[b] - c[b] * point[k], point[k]};
  }
  const auto& [p, q, r] = corner;
  const double area = (q.u - p.u) * (r.v - p.v) - (r.u - p.u) * (q.v - p.v);
  double longest = 0; // squared
  for (std::size_t i = 0; i < 3; ++i) {
    const double du = corner[i].u - corner[(i + 1) % 3].u, dv = corner[i].v - corner[(i + 1) % 3].v;
    longest = std::max(longest, du * du + dv * dv);
  }
  if (area * area <= edge_on * edge_on * longest) return;
  const auto [near, far] = std::minmax({p.depth, q.depth, r.depth});
  const auto [lowest, highest] = std::minmax({p.v, q.v, r.v});

  // Lines that reach a link with an end in the box, between these depths.
  const double first_depth = std::max(near, -1.0), last_depth = std::min(far, static_cast<double>(extent[k]));
  if (first_depth > last_depth + crossing_tolerance) return;
  const auto lines = [&](double low, double high, std::size_t axis) {
    const auto [least, most] = std::minmax({c[axis] * first_depth, c[axis] * last_depth});
    const double first = std::ceil(std::max(low, -1 - most) - crossing_tolerance);
    const double last =
        std::floor(std::min(high, static_cast<double>(extent[axis]) - least) + crossing_tolerance);
    return first <= last ? std::pair(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last))
                         : std::pair<std::int64_t, std::int64_t>(0, -1);
  };
  const auto inside = [&](const std::array<std::int64_t, 3>& cell, int steps) {
    return std::ranges::all_of(std::array{0, 1, 2}, [&](int axis) {
      const auto d = static_cast<std::size_t>(axis);
      return cell[d] + steps * c[d] >= 0 && cell[d] + steps * c[d] < extent[d];
    });
  };
  const auto [first_v, last_v] = lines(lowest, highest, b);
  for (std::int64_t v = first_v; v <= last_v; ++v) {
    // What of the triangle lies in the row, which is as wide as the tolerance: an edge along it counts whole.
    const double under = static_cast<double>(v) - crossing_tolerance, over = under + 2 * crossing_tolerance;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < 3; ++i) {
      Corner from = corner[i], to = corner[(i + 1) % 3];
      if (std::pair(to.v, to.u) < std::pair(from.v, from.u)) std::swap(from, to); // the same on both sides
      if (from.v > over || to.v < under) continue;
      const double slope = to.v > from.v ? (to.u - from.u) / (to.v - from.v) : 0;
      const double first = from.v < under ? from.u + slope * (under - from.v) : from.u;
      const double last = to.v > over ? from.u + slope * (over - from.v) : to.u;
      low = std::min({low, first, last});
      high = std::max({high, first, last});
    }
    const auto [first_u, last_u] = lines(low, high, a);
    for (std::int64_t u = first_u; u <= last_u; ++u) {
      const double du = static_cast<double>(u) - p.u, dv = static_cast<double>(v) - p.v;
      const double s = (du * (r.v - p.v) - (r.u - p.u) * dv) / area;
      const double t = ((q.u - p.u) * dv - du * (q.v - p.v)) / area;
      const double depth = std::clamp(p.depth + s * (q.depth - p.depth) + t * (r.depth - p.depth), near, far);
      if (depth < first_depth - crossing_tolerance || depth > last_depth + crossing_tolerance) continue;
      const double below = std::floor(depth), fraction = depth - below;
      const auto link = [&](std::int64_t steps, double at) {
        const std::int64_t m = static_cast<std::int64_t>(below) + steps;
        std::array<std::int64_t, 3> cell{};
        cell[k] = m, cell[a] = u + c[a] * m, cell[b] = v + c[b] * m;
        if (inside(cell, 0) || inside(cell, 1)) f(cell, at);
      };
      link(0, fraction);
      if (fraction <= crossing_tolerance) link(-1, 1.0);
      if (fraction >= 1 - crossing_tolerance) link(1, 0.0);
    }
  }
}

} // namespace heddle::geometry

#endif
