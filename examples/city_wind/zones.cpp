// SPDX-License-Identifier: Apache-2.0
#include "zones.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace city_wind {
namespace {

using namespace first_guess;

const double square_on = std::cos(10 * std::numbers::pi / 180); // walls within 10 degrees count as such
const double alongside = std::sin(10 * std::numbers::pi / 180);
constexpr double grazing = 0.01; // walls that turn less than this (cosine) to the lee have no wake

double dot(const Vec2& a, const Vec2& b) {
  return a.x * b.x + a.y * b.y;
}
Vec2 minus(const Vec2& a, const Vec2& b) {
  return {a.x - b.x, a.y - b.y};
}
Vec2 left_of(const Vec2& a) {
  return {-a.y, a.x};
}

/// A frame on the ground, as the kernels have it.
struct Frame {
  Vec2 origin, axis;
  [[nodiscard]] Vec2 to(const Vec2& p) const {
    const Vec2 d = minus(p, origin);
    return {dot(d, axis), dot(d, left_of(axis))};
  }
  [[nodiscard]] Vec2 from(const Vec2& local) const {
    return {origin.x + local.x * axis.x - local.y * axis.y, origin.y + local.x * axis.y + local.y * axis.x};
  }
};

struct Wall {
  Vec2 begin, end; // counter-clockwise around the building
  Vec2 normal;     // outwards
  double length;
};

/// A building in the wind over its roof. Frame: axis along that wind, origin in the middle of the extents.
struct Obstacle {
  int number;
  double floor, tall, roof; // m
  Vec2 wind;                // over the roof, m/s
  double speed;
  Frame frame;
  double length, width; // along and across the wind
  double cavity;        // length of the near wake, L_R
  std::vector<Vec2> outline;
  std::vector<Wall> walls;

  [[nodiscard]] double facing(const Wall& wall) const { return dot(wall.normal, frame.axis); }
};

/// A lee wall as the wake's kernel describes it: a line over an interval across the wind.
struct LeeWall {
  double begin, end, wall, slope, near, growth;
};

Obstacle make_obstacle(const Grid& grid, const Ground& ground, const Building& building, const Inflow& inflow,
                       int number) {
  Obstacle o{};
  o.number = number;
  o.outline = building.outline;
  o.tall = building.height;
  const Vec2 middle = centroid(building.outline);
  o.floor = ground.at(middle.x, middle.y);
  o.roof = o.floor + o.tall;
  const auto above = static_cast<std::size_t>(grid.level_above(o.roof));
  o.wind = inflow.wind(middle.x, middle.y, grid.height[above] - o.floor);
  o.speed = std::hypot(o.wind.x, o.wind.y);
  if (o.speed == 0) return o;
  o.frame = {middle, {o.wind.x / o.speed, o.wind.y / o.speed}};
  Vec2 low{HUGE_VAL, HUGE_VAL};
  Vec2 high{-HUGE_VAL, -HUGE_VAL};
  for (const Vec2& corner : o.outline) {
    const Vec2 p = o.frame.to(corner);
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  o.length = high.x - low.x;
  o.width = high.y - low.y;
  o.frame.origin = o.frame.from({(low.x + high.x) / 2, (low.y + high.y) / 2});
  const double slender = std::min(o.width / o.tall, 10.0);
  o.cavity = 1.8 * o.tall * slender /
             (std::pow(std::clamp(o.length / o.tall, 0.3, 3.0), 0.3) * (1 + 0.24 * slender));
  for (std::size_t n = 0; n < o.outline.size(); ++n) {
    const Vec2& begin = o.outline[n];
    const Vec2& end = o.outline[(n + 1) % o.outline.size()];
    const Vec2 d = minus(end, begin);
    const double size = std::hypot(d.x, d.y);
    o.walls.push_back({begin, end, {d.y / size, -d.x / size}, size});
  }
  return o;
}

/// Kernel boxes from places in a frame.
class Cells {
public:
  explicit Cells(const Grid& grid) : grid_(&grid) {}

  /// All faces in a rectangle of a frame, with levels whose centres lie in (bottom, top].
  [[nodiscard]] CellBox rectangle(const Frame& frame, const Vec2& low, const Vec2& high, double bottom,
                                  double top) const {
    return box({frame.from(low), frame.from({low.x, high.y}), frame.from(high), frame.from({high.x, low.y})},
               grid_->level_above(bottom), grid_->level_above(top));
  }

  [[nodiscard]] CellBox box(const std::vector<Vec2>& points, std::int64_t k_first,
                            std::int64_t k_last) const {
    Vec2 low = points[0];
    Vec2 high = points[0];
    for (const Vec2& p : points) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    const auto index = [](double position, double size, std::int64_t most) {
      return static_cast<std::int64_t>(
          std::clamp(std::floor(position / size), 0.0, static_cast<double>(most)));
    };
    const Grid& g = *grid_;
    return {{index(low.x, g.dx, g.nx) - (low.x >= g.dx ? 1 : 0),
             index(low.y, g.dy, g.ny) - (low.y >= g.dy ? 1 : 0), k_first},
            {std::min(index(high.x, g.dx, g.nx) + 2, g.nx + 1),
             std::min(index(high.y, g.dy, g.ny) + 2, g.ny + 1), k_last}};
  }

private:
  const Grid* grid_;
};

class Builder {
public:
  Builder(const Grid& grid, double roughness) : grid_(&grid), cells_(grid), roughness_(roughness) {}

  void upwind(const Obstacle& o) {
    for (const Wall& wall : o.walls) {
      if (-o.facing(wall) < square_on) continue;
      const Vec2 middle{(wall.begin.x + wall.end.x) / 2, (wall.begin.y + wall.end.y) / 2};
      const Frame frame{middle, {-wall.normal.x, -wall.normal.y}};
      const double width = wall.length;
      const double length = 1.5 * width / (1 + 0.8 * width / o.tall);
      const CellBox cells =
          cells_.rectangle(frame, {-length, -width / 2}, {std::min(grid_->dx, grid_->dy) / 10, width / 2},
                           o.floor, o.floor + 0.6 * o.tall);
      zones_.push_back({UpwindParameters{.x_first = cells.first[0],
                                         .y_first = cells.first[1],
                                         .dx = grid_->dx,
                                         .dy = grid_->dy,
                                         .origin_x = frame.origin.x,
                                         .origin_y = frame.origin.y,
                                         .axis_x = frame.axis.x,
                                         .axis_y = frame.axis.y,
                                         .speed_u = o.wind.x,
                                         .speed_v = o.wind.y,
                                         .speed = o.speed,
                                         .floor = o.floor,
                                         .tall = o.tall,
                                         .length = length,
                                         .width = width},
                        cells});
    }
  }

  void wake(const Obstacle& o) {
    for (const LeeWall& lee : lee_walls(o)) {
      const CellBox cells = cells_.rectangle(o.frame, {o.length * -0.5, lee.begin},
                                             {o.length * 0.5 + 3 * o.cavity, lee.end}, o.floor, o.roof);
      zones_.push_back({WakeParameters{.x_first = cells.first[0],
                                       .y_first = cells.first[1],
                                       .dx = grid_->dx,
                                       .dy = grid_->dy,
                                       .origin_x = o.frame.origin.x,
                                       .origin_y = o.frame.origin.y,
                                       .axis_x = o.frame.axis.x,
                                       .axis_y = o.frame.axis.y,
                                       .speed_u = o.wind.x,
                                       .speed_v = o.wind.y,
                                       .floor = o.floor,
                                       .tall = o.tall,
                                       .begin = lee.begin,
                                       .end = lee.end,
                                       .wall = lee.wall,
                                       .slope = lee.slope,
                                       .near = lee.near,
                                       .growth = lee.growth,
                                       .width = o.width},
                        cells});
    }
  }

  /// Canyons of all pairs of walls, the wide ones first, so that the nearest wall counts.
  void canyons(const std::vector<Obstacle>& obstacles) {
    struct Pair {
      double gap;
      Zone zone;
    };
    std::vector<Zone> before;
    before.swap(zones_);
    std::vector<Pair> pairs;
    for (const Obstacle& o : obstacles) {
      if (o.speed == 0) continue;
      const std::vector<LeeWall> lees = lee_walls(o);
      for (const Obstacle& other : obstacles) {
        if (other.number == o.number) continue;
        for (const Wall& wall : other.walls) {
          if (dot(wall.normal, o.frame.axis) > -0.1) continue;
          const Vec2 right = o.frame.to(wall.end); // counter-clockwise: windward walls run to the right
          const Vec2 left = o.frame.to(wall.begin);
          for (const LeeWall& lee : lees) {
            const double gap = canyon(o, lee, other, wall, right, left);
            if (!zones_.empty()) pairs.push_back({gap, zones_.back()});
            zones_.clear();
          }
        }
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.gap > b.gap; });
    zones_.swap(before);
    for (const Pair& pair : pairs)
      zones_.push_back(pair.zone);
  }

  void sidewall(const Obstacle& o) {
    const double size = separation(o);
    for (const Wall& wall : o.walls) {
      if (std::abs(o.facing(wall)) > alongside) continue;
      Vec2 axis = minus(wall.end, wall.begin);
      axis = {axis.x / wall.length, axis.y / wall.length};
      const bool forwards = dot(axis, o.frame.axis) > 0;
      if (!forwards) axis = {-axis.x, -axis.y};
      const Frame frame{forwards ? wall.begin : wall.end, axis};
      const bool left = dot(wall.normal, left_of(axis)) > 0;
      const double length = 0.9 * size;
      const double depth = 0.11 * size;
      const double reach = std::min(length, wall.length) * (1 + 1e-6); // a face at the very end belongs to it
      const double deep = std::max(depth, depth / std::sqrt(length / 2) * std::sqrt(reach));
      const CellBox cells =
          cells_.rectangle(frame, {0, left ? 0 : -deep}, {reach, left ? deep : 0}, o.floor, o.roof);
      zones_.push_back({SidewallParameters{.x_first = cells.first[0],
                                           .y_first = cells.first[1],
                                           .dx = grid_->dx,
                                           .dy = grid_->dy,
                                           .origin_x = frame.origin.x,
                                           .origin_y = frame.origin.y,
                                           .axis_x = frame.axis.x,
                                           .axis_y = frame.axis.y,
                                           .floor = o.floor,
                                           .tall = o.tall,
                                           .length = length,
                                           .depth = depth,
                                           .side = left ? 1.0 : -1.0,
                                           .reach = reach,
                                           .roughness = roughness_},
                        cells});
    }
  }

  void rooftop(const Obstacle& o) {
    const bool separates = std::any_of(o.walls.begin(), o.walls.end(),
                                       [&](const Wall& wall) { return -o.facing(wall) >= square_on; });
    if (!separates) return;
    const Vec2 corner = o.frame.from({-o.length / 2, -o.width / 2}); // of front edge and right side
    const double size = separation(o);
    const double thickness = 0.22 * size / std::sqrt(0.495 * size);
    const double highest = o.roof + thickness * std::sqrt(std::min(o.length, o.width));
    const CellBox cells = cells_.box(o.outline, grid_->level_above(o.roof), grid_->level_above(highest));
    zones_.push_back({RooftopParameters{.x_first = cells.first[0],
                                        .y_first = cells.first[1],
                                        .dx = grid_->dx,
                                        .dy = grid_->dy,
                                        .number = o.number,
                                        .origin_x = corner.x,
                                        .origin_y = corner.y,
                                        .axis_x = o.frame.axis.x,
                                        .axis_y = o.frame.axis.y,
                                        .floor = o.floor,
                                        .tall = o.tall,
                                        .thickness = thickness,
                                        .roughness = roughness_},
                      cells});
  }

  [[nodiscard]] std::vector<Zone> take() {
    std::erase_if(zones_, [](const Zone& zone) { return zone.cells.empty(); });
    return std::move(zones_);
  }

private:
  /// R of Pol et al. (2006) and Hayati et al. (2019).
  static double separation(const Obstacle& o) {
    return std::cbrt(std::pow(std::min(o.width, o.tall), 2) * std::max(o.width, o.tall));
  }

  /// The walls to the lee. The cavity behind a wall is shorter by the cosine of its angle; where two such
  /// walls meet, their mean counts at the corner.
  static std::vector<LeeWall> lee_walls(const Obstacle& o) {
    const std::size_t count = o.walls.size();
    const auto reach = [&](std::size_t n) { return o.cavity * std::max(o.facing(o.walls[n]), 0.0); };
    const auto lee = [&](std::size_t n) { return o.facing(o.walls[n]) > grazing; };
    std::vector<LeeWall> result;
    for (std::size_t n = 0; n < count; ++n) {
      if (!lee(n)) continue;
      const std::size_t before = (n + count - 1) % count;
      const std::size_t after = (n + 1) % count;
      const Vec2 a = o.frame.to(o.walls[n].begin);
      const Vec2 b = o.frame.to(o.walls[n].end);
      const double first = lee(before) ? (reach(before) + reach(n)) / 2 : reach(n);
      const double last = lee(after) ? (reach(n) + reach(after)) / 2 : reach(n);
      result.push_back({a.y, b.y, a.x, (b.x - a.x) / (b.y - a.y), first, (last - first) / (b.y - a.y)});
    }
    return result;
  }

  /// Adds the zone between a lee wall and a wall downwind, if there is one; returns its width.
  double canyon(const Obstacle& o, const LeeWall& lee, const Obstacle& other, const Wall& wall,
                const Vec2& right, const Vec2& left) {
    const double begin = std::max(lee.begin, right.y);
    const double end = std::min(lee.end, left.y);
    if (begin >= end) return 0;
    LeeWall shared = lee;
    shared.begin = begin;
    shared.end = end;
    shared.wall += lee.slope * (begin - lee.begin);
    shared.near += lee.growth * (begin - lee.begin);
    const double front_slope = (left.x - right.x) / (left.y - right.y);
    const double front_tall = other.roof - o.floor;
    const auto gap = [&](double across) {
      return right.x + front_slope * (across - right.y) - shared.wall - shared.slope * (across - begin);
    };
    const double narrow = std::min(gap(begin), gap(end));
    const double wide = std::max(gap(begin), gap(end));
    if (wide <= 0 || narrow > o.cavity || front_tall <= 0) return 0;
    const double low = std::min(shared.wall, shared.wall + shared.slope * (end - begin));
    const CellBox cells =
        cells_.rectangle(o.frame, {low, begin}, {low + wide + std::abs(shared.slope) * (end - begin), end},
                         o.floor, std::min(o.roof, other.roof));
    zones_.push_back({CanyonParameters{.x_first = cells.first[0],
                                       .y_first = cells.first[1],
                                       .dx = grid_->dx,
                                       .dy = grid_->dy,
                                       .origin_x = o.frame.origin.x,
                                       .origin_y = o.frame.origin.y,
                                       .axis_x = o.frame.axis.x,
                                       .axis_y = o.frame.axis.y,
                                       .speed_u = o.wind.x,
                                       .speed_v = o.wind.y,
                                       .floor = o.floor,
                                       .tall = o.tall,
                                       .begin = begin,
                                       .end = end,
                                       .wall = shared.wall,
                                       .slope = shared.slope,
                                       .near = shared.near,
                                       .growth = shared.growth,
                                       .width = o.width,
                                       .front = right.x,
                                       .front_slope = front_slope,
                                       .front_begin = right.y,
                                       .normal_x = wall.normal.x,
                                       .normal_y = wall.normal.y,
                                       .front_tall = front_tall},
                      cells});
    return narrow;
  }

  const Grid* grid_;
  Cells cells_;
  double roughness_;
  std::vector<Zone> zones_;
};

} // namespace

CellBox columns_of(const Grid& grid, const std::vector<Vec2>& outline) {
  return Cells(grid).box(outline, 0, 1);
}

std::vector<Zone> make_zones(const Grid& grid, const Ground& ground, const std::vector<Building>& buildings,
                             const Inflow& inflow, const Parameterisations& chosen, double roughness) {
  std::vector<Obstacle> obstacles;
  for (std::size_t n = 0; n < buildings.size(); ++n)
    obstacles.push_back(make_obstacle(grid, ground, buildings[n], inflow, static_cast<int>(n) + 1));
  std::stable_sort(obstacles.begin(), obstacles.end(),
                   [](const Obstacle& a, const Obstacle& b) { return a.tall < b.tall; });
  Builder zones(grid, roughness);
  const auto each = [&](bool wanted, void (Builder::*add)(const Obstacle&)) {
    if (!wanted) return;
    for (const Obstacle& o : obstacles)
      if (o.speed > 0) (zones.*add)(o);
  };
  each(chosen.upwind, &Builder::upwind);
  each(chosen.wake, &Builder::wake);
  if (chosen.canyon) zones.canyons(obstacles);
  each(chosen.sidewall, &Builder::sidewall);
  each(chosen.rooftop, &Builder::rooftop);
  return zones.take();
}

} // namespace city_wind
