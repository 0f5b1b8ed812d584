// SPDX-License-Identifier: Apache-2.0
#include "heddle/plot/contour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace heddle::plot {
namespace {

/// An edge of the grid: 2 * point for the edge to the right of a point, 2 * point + 1 for the one above it.
using Edge = std::int64_t;

struct Crossings {
  std::map<Edge, std::vector<Edge>> neighbours; // ordered, so that the lines come out in one order always

  void join(Edge a, Edge b) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
};

/// Adds the one or two pieces of line inside the square whose lower left point is (i, j).
void add_square(const Plane& plane, std::int64_t i, std::int64_t j, double level, Crossings& crossings) {
  const std::array<double, 4> v{plane.at(i, j), plane.at(i + 1, j), plane.at(i + 1, j + 1),
                                plane.at(i, j + 1)};
  if (!std::all_of(v.begin(), v.end(), [](double value) { return std::isfinite(value); })) return;
  const Edge point = i + plane.nx * j;
  // Edge k runs from corner k to corner k + 1, counter-clockwise from the lower left.
  const std::array<Edge, 4> edge{2 * point, 2 * (point + 1) + 1, 2 * (point + plane.nx), 2 * point + 1};
  std::vector<std::size_t> cut;
  for (std::size_t k = 0; k < 4; ++k)
    if ((v[k] < level) != (v[(k + 1) % 4] < level)) cut.push_back(k);
  if (cut.size() == 2) {
    crossings.join(edge[cut[0]], edge[cut[1]]);
  } else if (cut.size() == 4) {
    const bool centre_below = (v[0] + v[1] + v[2] + v[3]) / 4 < level;
    const std::size_t turn =
        centre_below == (v[0] < level) ? 1 : 3; // the line cuts corner 1, or corner 0, off
    crossings.join(edge[0], edge[turn]);
    crossings.join(edge[2], edge[(turn + 2) % 4]);
  }
}

Vec2 position(const Plane& plane, Edge edge, double level) {
  const std::int64_t i = edge / 2 % plane.nx;
  const std::int64_t j = edge / 2 / plane.nx;
  const bool upward = edge % 2 == 1;
  const double a = plane.at(i, j);
  const double b = upward ? plane.at(i, j + 1) : plane.at(i + 1, j);
  const double t = (level - a) / (b - a);
  return {plane.x0 + plane.dx * (static_cast<double>(i) + (upward ? 0 : t)),
          plane.y0 + plane.dy * (static_cast<double>(j) + (upward ? t : 0))};
}

} // namespace

std::vector<Polyline> contour_lines(const Plane& plane, double level) {
  Crossings crossings;
  for (std::int64_t j = 0; j + 1 < plane.ny; ++j)
    for (std::int64_t i = 0; i + 1 < plane.nx; ++i)
      add_square(plane, i, j, level, crossings);

  std::vector<Polyline> lines;
  const auto follow = [&](Edge start) {
    Polyline line{position(plane, start, level)};
    Edge here = start;
    for (auto* next = &crossings.neighbours[here]; !next->empty(); next = &crossings.neighbours[here]) {
      const Edge there = next->back();
      next->pop_back();
      auto& back = crossings.neighbours[there];
      back.erase(std::find(back.begin(), back.end(), here));
      line.push_back(position(plane, there, level));
      here = there;
    }
    lines.push_back(std::move(line));
  };
  for (auto& [edge, next] : crossings.neighbours) // open lines first: they start at the rim
    if (next.size() == 1) follow(edge);
  for (auto& [edge, next] : crossings.neighbours)
    if (!next.empty()) follow(edge);
  return lines;
}

} // namespace heddle::plot
