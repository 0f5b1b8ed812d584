// SPDX-License-Identifier: Apache-2.0
#include "buildings.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "table.hpp"

namespace city_wind {
namespace {

double cross(const Vec2& o, const Vec2& a, const Vec2& b) {
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

double area(const std::vector<Vec2>& outline) {
  double twice = 0;
  for (std::size_t n = 0; n < outline.size(); ++n)
    twice += cross(outline[0], outline[n], outline[(n + 1) % outline.size()]);
  return twice / 2;
}

/// Lengths below this are rounding, m.
constexpr double touching = 1e-6;
constexpr double lowest_roof = 1e-3;

/// Whether the segments cross at a point inside both.
bool cross_inside(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const double ab = std::hypot(b.x - a.x, b.y - a.y);
  const double cd = std::hypot(d.x - c.x, d.y - c.y);
  const double c_side = cross(a, b, c) / ab;
  const double d_side = cross(a, b, d) / ab;
  const double a_side = cross(c, d, a) / cd;
  const double b_side = cross(c, d, b) / cd;
  const auto apart = [](double s, double t) {
    return (s > touching && t < -touching) || (s < -touching && t > touching);
  };
  return apart(c_side, d_side) && apart(a_side, b_side);
}

/// Whether a point lies inside, and further from the outline than rounding.
bool inside(const std::vector<Vec2>& outline, const Vec2& p) {
  bool in = false;
  for (std::size_t n = 0; n < outline.size(); ++n) {
    const Vec2& a = outline[n];
    const Vec2& b = outline[(n + 1) % outline.size()];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const double along = ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / length;
    if (std::abs(cross(a, b, p)) / length < touching && along > -touching && along < length + touching)
      return false;
    if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)) in = !in;
  }
  return in;
}

bool overlap(const std::vector<Vec2>& a, const std::vector<Vec2>& b) {
  for (std::size_t m = 0; m < a.size(); ++m)
    for (std::size_t n = 0; n < b.size(); ++n)
      if (cross_inside(a[m], a[(m + 1) % a.size()], b[n], b[(n + 1) % b.size()])) return true;
  // No edges cross: one lies in the other, or they share their walls. Corners and middles of edges tell.
  const auto reaches_into = [](const std::vector<Vec2>& one, const std::vector<Vec2>& other) {
    for (std::size_t n = 0; n < one.size(); ++n) {
      const Vec2& next = one[(n + 1) % one.size()];
      if (inside(other, one[n]) || inside(other, {(one[n].x + next.x) / 2, (one[n].y + next.y) / 2}))
        return true;
    }
    return inside(other, centroid(one));
  };
  return reaches_into(a, b) || reaches_into(b, a);
}

struct Bounds {
  Vec2 low{HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL};
};

Bounds bounds(const std::vector<Vec2>& outline) {
  Bounds box;
  for (const Vec2& p : outline) {
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y)};
  }
  return box;
}

std::vector<Vec2> rectangle(double x, double y, double length, double width, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const Vec2 centre{x + length / 2, y + width / 2};
  std::vector<Vec2> ring{{x, y}, {x + length, y}, {x + length, y + width}, {x, y + width}, {x, y}};
  if (degrees != 0) {
    for (Vec2& p : ring) {
      const Vec2 from{p.x - centre.x, p.y - centre.y};
      p = {centre.x + from.x * std::cos(angle) - from.y * std::sin(angle),
           centre.y + from.x * std::sin(angle) + from.y * std::cos(angle)};
    }
  }
  return ring;
}

} // namespace

Vec2 centroid(const std::vector<Vec2>& outline) {
  Vec2 sum;
  const Vec2& o = outline[0];
  for (std::size_t n = 1; n + 1 < outline.size(); ++n) {
    const double twice = cross(o, outline[n], outline[n + 1]);
    sum.x += twice * (outline[n].x + outline[n + 1].x - 2 * o.x);
    sum.y += twice * (outline[n].y + outline[n + 1].y - 2 * o.y);
  }
  const double whole = 6 * area(outline);
  return {o.x + sum.x / whole, o.y + sum.y / whole};
}

Building make_building(std::string place, std::vector<Vec2> ring, double height) {
  if (!ring.empty() && std::hypot(ring.front().x - ring.back().x, ring.front().y - ring.back().y) > touching)
    throw heddle::Error(place, "the polygon is open: its last corner differs from its first",
                        "repeat the first corner at the end");
  if (ring.size() < 4)
    throw heddle::Error(place, "the polygon has fewer than three corners",
                        "give x and y of each corner, and of the first one again at the end");
  ring.pop_back();
  std::vector<Vec2> outline; // without corners that are given twice
  for (const Vec2& p : ring)
    if (outline.empty() || std::hypot(p.x - outline.back().x, p.y - outline.back().y) > touching)
      outline.push_back(p);
  const double size = outline.size() < 3 ? 0 : area(outline);
  if (!(std::abs(size) > touching)) throw heddle::Error(place, "the polygon has no area");
  if (size < 0) std::reverse(outline.begin(), outline.end());
  if (!(height >= lowest_roof) || !std::isfinite(height))
    throw heddle::Error(place, "the height is " + heddle::number_text(height) + " m",
                        "use a positive height of at least 1 mm");
  return {std::move(place), std::move(outline), height};
}

std::vector<Building> read_buildings(const std::filesystem::path& file) {
  std::vector<Building> buildings;
  for (const Row& row : read_table(file)) {
    if (row.words[0] == "box" && (row.words.size() == 6 || row.words.size() == 7)) {
      const double length = row.number(3);
      const double width = row.number(4);
      if (!(length > 0) || !(width > 0)) throw heddle::Error(row.place, "the box has no area");
      buildings.push_back(make_building(
          row.place,
          rectangle(row.number(1), row.number(2), length, width, row.words.size() == 7 ? row.number(6) : 0),
          row.number(5)));
    } else if (row.words[0] == "polygon" && row.words.size() >= 2 && row.words.size() % 2 == 0) {
      std::vector<Vec2> ring;
      for (std::size_t n = 2; n < row.words.size(); n += 2)
        ring.push_back({row.number(n), row.number(n + 1)});
      buildings.push_back(make_building(row.place, std::move(ring), row.number(1)));
    } else {
      throw heddle::Error(
          row.place, "the line does not describe a building",
          "write box, x, y, length, width, height [, angle], or polygon, height, x1, y1, ..., x1, y1");
    }
  }
  return buildings;
}

void check_buildings(const std::vector<Building>& buildings, const Grid& grid, const Ground& ground) {
  std::vector<Bounds> boxes;
  for (const Building& building : buildings) {
    const std::vector<Vec2>& outline = building.outline;
    const Bounds box = boxes.emplace_back(bounds(outline));
    if (box.low.x < 0 || box.low.y < 0 || box.high.x > grid.length() || box.high.y > grid.width())
      throw heddle::Error(building.place, "the building extends beyond the domain",
                          "give a larger domain with --cells, or leave the building out");
    const Vec2 centre = centroid(outline);
    if (grid.level_above(ground.at(centre.x, centre.y) + building.height) > grid.nz - 2)
      throw heddle::Error(building.place,
                          "the building of " + std::to_string(building.height) +
                              " m has fewer than two levels of air above it",
                          "use more levels (--cells)");
    for (std::size_t m = 0; m < outline.size(); ++m)
      for (std::size_t n = m + 1; n < outline.size(); ++n)
        if (cross_inside(outline[m], outline[(m + 1) % outline.size()], outline[n],
                         outline[(n + 1) % outline.size()]))
          throw heddle::Error(building.place, "the outline crosses itself");
  }
  for (std::size_t m = 0; m < buildings.size(); ++m)
    for (std::size_t n = m + 1; n < buildings.size(); ++n) {
      const bool near = boxes[m].low.x < boxes[n].high.x && boxes[n].low.x < boxes[m].high.x &&
                        boxes[m].low.y < boxes[n].high.y && boxes[n].low.y < boxes[m].high.y;
      if (near && overlap(buildings[m].outline, buildings[n].outline))
        throw heddle::Error(buildings[n].place, "the building overlaps that of " + buildings[m].place,
                            "join the two, or move one of them");
    }
}

std::vector<Building> small_city() {
  std::vector<Building> city;
  const auto add = [&](double x, double y, double length, double width, double height, double degrees = 0) {
    city.push_back(make_building("small city, building " + std::to_string(city.size() + 1),
                                 rectangle(x, y, length, width, degrees), height));
  };
  // Four rows of houses along streets of 24 m, with a square in the middle.
  const double heights[4][5] = {
      {18, 24, 15, 21, 12}, {24, 30, 18, 27, 18}, {15, 21, 24, 18, 24}, {12, 18, 21, 15, 18}};
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 5; ++column) {
      const bool square = (row == 1 || row == 2) && column == 2;
      if (!square) add(140 + 72 * column, 88 + 76 * row, 48, 52, heights[row][column]);
    }
  add(292, 180, 32, 32, 66);     // a tower on the square
  add(304, 256, 24, 24, 45, 30); // another one, turned
  std::vector<Vec2> court{{44, 200}, {104, 200}, {104, 224}, {68, 224}, {68, 264}, {44, 264}, {44, 200}};
  city.push_back(make_building("small city, the corner house", std::move(court), 20));
  return city;
}

} // namespace city_wind
