// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/wall_links.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

#include "files.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "shapes.hpp"

namespace heddle::geometry {
namespace {

using test::contains;
using test::error_of;
using Cell = std::array<std::int64_t, 3>;
using Velocity = std::array<int, 3>;
using Periodic = std::array<bool, 3>;

constexpr Periodic closed{false, false, false};
constexpr double nearest = 1e-7; // that a wall is taken to be
const std::array<Link, 1> some_link{{{1, {-1, 0, 0}, 2}}};

/// D3Q27: rest, then each direction with its opposite.
std::vector<Velocity> every_direction() {
  std::vector<Velocity> velocities{{0, 0, 0}};
  for (int code = 14; code < 27; ++code) { // the 13 behind the middle of 27
    const Velocity c{code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
    velocities.push_back(c);
    velocities.push_back({-c[0], -c[1], -c[2]});
  }
  return velocities;
}
const std::vector<Velocity> d3q27 = every_direction();

std::vector<std::uint8_t> fluid_of(const std::vector<std::uint8_t>& solid) {
  std::vector<std::uint8_t> fluid(solid.size());
  std::ranges::transform(solid, fluid.begin(), [](std::uint8_t s) { return s == 0 ? 1 : 0; });
  return fluid;
}

VoxelGrid cube(std::int64_t n) {
  return {{0, 0, 0}, 1, {n, n, n}};
}

/// A body on a grid, all other cells listed.
struct Body {
  Body(Mesh surface, const VoxelGrid& cells, const Periodic& around = closed)
      : Body(surface, cells, around, voxelise(surface, cells)) {}
  Body(Mesh surface, const VoxelGrid& cells, const Periodic& around, std::vector<std::uint8_t> flags)
      : mesh(std::move(surface)), grid(cells), periodic(around), solid(std::move(flags)),
        list({{0, 0, 0}, grid.extent}, fluid_of(solid), periodic, some_link),
        walls(wall_links(mesh, grid, solid, list, d3q27, periodic)) {}

  [[nodiscard]] bool is_solid(Cell cell) const {
    for (std::size_t a = 0; a < 3; ++a) {
      if (periodic[a]) cell[a] = (cell[a] + grid.extent[a]) % grid.extent[a];
      if (cell[a] < 0 || cell[a] >= grid.extent[a]) return false;
    }
    return solid[static_cast<std::size_t>(cell[0] + grid.extent[0] * (cell[1] + grid.extent[1] * cell[2]))] !=
           0;
  }
  [[nodiscard]] Point centre(const Cell& cell) const {
    Point point{};
    for (std::size_t a = 0; a < 3; ++a)
      point[a] = grid.origin[a] + (static_cast<double>(cell[a]) + 0.5) * grid.cell;
    return point;
  }

  Mesh mesh;
  VoxelGrid grid;
  Periodic periodic;
  std::vector<std::uint8_t> solid;
  IndexList list;
  WallLinks walls;
};

Cell beyond(const Cell& cell, const Velocity& c) {
  return {cell[0] + c[0], cell[1] + c[1], cell[2] + c[2]};
}

std::size_t opposite(std::size_t q) {
  return q == 0 ? 0 : q % 2 == 1 ? q + 1 : q - 1;
}

/// Calls f(cell, direction, distance) for each link of the entries.
template <class F> void for_links(const Body& body, F&& f) {
  for (std::size_t i = 0; i < body.walls.cells.size(); ++i) {
    for (std::size_t q = 1; q < d3q27.size(); ++q) {
      const std::size_t p = opposite(q);
      if ((body.walls.mask[i] >> q & 1U) != 0)
        f(body.list.position(body.walls.cells[i]), d3q27[p], body.walls.distance[p][i]);
    }
  }
}

/// The links from cells that are not solid to solid ones are the bits of the masks, all of them and no
/// others; their distances lie in (0, 1], the others are 1/2.
void expect_each_link_once(const Body& body) {
  const WallLinks& walls = body.walls;
  ASSERT_TRUE(std::ranges::is_sorted(walls.cells));
  std::int64_t links = 0, entries = 0, wrong = 0;
  for (std::int64_t n = 0; n < body.list.count(); ++n) {
    const Cell cell = body.list.position(n);
    const auto found = std::ranges::lower_bound(walls.cells, static_cast<std::uint32_t>(n));
    const bool entered = found != walls.cells.end() && *found == static_cast<std::uint32_t>(n);
    const auto i = static_cast<std::size_t>(found - walls.cells.begin());
    std::uint32_t mask = 0;
    for (std::size_t p = 0; p < d3q27.size(); ++p) {
      const bool wall = body.is_solid(beyond(cell, d3q27[p]));
      if (wall) mask |= 1U << opposite(p), ++links;
      if (!entered) continue;
      const double distance = walls.distance[p][i];
      wrong += wall ? !(distance > 0 && distance <= 1) : distance != 0.5;
    }
    entries += mask != 0;
    wrong += mask != (entered ? walls.mask[i] : 0);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(walls.links, links);
  EXPECT_EQ(std::ssize(walls.cells), entries);
  EXPECT_GT(links, 0);
}

/// The nearest crossing of the segment start + t * along by Moeller and Trumbore 1997, triangle by triangle;
/// edges count.
std::optional<double> traced(const Mesh& mesh, const Point& start, const Point& along) {
  using Vector = Point;
  const auto minus = [](const Point& a, const Point& b) {
    return Vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  };
  const auto cross = [](const Vector& a, const Vector& b) {
    return Vector{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto dot = [](const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  constexpr double slack = 1e-9;
  std::optional<double> first;
  for (const auto& triangle : mesh.triangles) {
    const Point& corner = mesh.vertices[triangle[0]];
    const Vector e1 = minus(mesh.vertices[triangle[1]], corner),
                 e2 = minus(mesh.vertices[triangle[2]], corner);
    const Vector p = cross(along, e2);
    const double det = dot(e1, p);
    if (std::abs(det) < slack) continue; // edge-on
    const Vector s = minus(start, corner), q = cross(s, e1);
    const double u = dot(s, p) / det, v = dot(along, q) / det, t = dot(e2, q) / det;
    if (u < -slack || v < -slack || u + v > 1 + slack || t < -slack || t > 1 + slack) continue;
    if (!first || t < *first) first = t;
  }
  return first;
}

void expect_traced(const Body& body) {
  for_links(body, [&](const Cell& cell, const Velocity& c, double distance) {
    const double h = body.grid.cell;
    // a link that is not found runs along the surface, and begins on it
    const double exact = traced(body.mesh, body.centre(cell), {h * c[0], h * c[1], h * c[2]}).value_or(0);
    EXPECT_NEAR(distance, std::clamp(exact, nearest, 1.0), 1e-9);
  });
}

/// Where a link enters a body between planes: low <= normal . x <= high of each.
struct Slab {
  Point normal;
  double low, high;
};
double entry(const std::vector<Slab>& slabs, const Point& start, const Velocity& c) {
  double last = 0;
  for (const auto& [normal, low, high] : slabs) {
    double at = 0, speed = 0;
    for (std::size_t a = 0; a < 3; ++a)
      at += normal[a] * start[a], speed += normal[a] * c[a];
    if (at < low) last = std::max(last, (low - at) / speed);
    if (at > high) last = std::max(last, (high - at) / speed);
  }
  return std::clamp(last, nearest, 1.0);
}

void expect_exact(const Body& body, const std::vector<Slab>& slabs) {
  expect_each_link_once(body);
  EXPECT_EQ(body.walls.assumed, 0);
  for_links(body, [&](const Cell& cell, const Velocity& c, double distance) {
    EXPECT_NEAR(distance, entry(slabs, body.centre(cell), c), 1e-12)
        << cell[0] << ' ' << cell[1] << ' ' << cell[2] << ", " << c[0] << ' ' << c[1] << ' ' << c[2];
  });
}

TEST(WallLinks, BoxesAreExact) {
  // 2.25 to 8.25: links through the diagonals of faces; 2.5 to 8.5: also in faces, through edges and corners
  for (const double low : {2.25, 2.5, 2.0, 2.9}) {
    const double high = low + 6;
    const Body body(test::box({low, low, low}, {high, high, high}), cube(12));
    expect_exact(body, {{{1, 0, 0}, low, high}, {{0, 1, 0}, low, high}, {{0, 0, 1}, low, high}});
  }
}

TEST(WallLinks, WallsAlongDiagonalsAreExact) {
  for (const double reach : {3.0, 3.25, 4.1}) {
    Mesh prism; // |x - 6.5| + |y - 6.5| <= reach: sides along links, edges through cell centres
    prism.source = "prism";
    for (const double z : {3.3, 9.5}) {
      for (const auto& [x, y] : {std::pair(1, 0), std::pair(0, 1), std::pair(-1, 0), std::pair(0, -1)})
        prism.vertices.push_back({6.5 + reach * x, 6.5 + reach * y, z});
    }
    prism.triangles = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}};
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t next = (i + 1) % 4;
      prism.triangles.push_back({i, next, next + 4});
      prism.triangles.push_back({i, next + 4, i + 4});
    }
    const Body body(prism, cube(13));
    expect_exact(body,
                 {{{1, 1, 0}, 13 - reach, 13 + reach}, {{1, -1, 0}, -reach, reach}, {{0, 0, 1}, 3.3, 9.5}});
  }
}

TEST(WallLinks, LinksMayMeetAWallAlmostEdgeOn) {
  Mesh slope = test::box({1, 1, 1}, {11, 11, 4.5});
  for (Point& corner : slope.vertices) {
    if (corner[2] > 1) corner[2] += 2e-6 * (corner[0] - 6.75);
  }
  const Body body(slope, cube(12));
  expect_each_link_once(body);
  EXPECT_EQ(body.walls.assumed, 0);
  int met = 0;
  for_links(body, [&](const Cell& cell, const Velocity& c, double distance) {
    if (cell[0] != 6 || cell[2] != 4 || c != Velocity{1, 0, 0}) return;
    ++met;
    EXPECT_NEAR(distance, 0.25, 1e-8);
  });
  EXPECT_EQ(met, 10);
}

TEST(WallLinks, ASphereConvergesWithTheSquareOfItsTriangles) {
  const Point centre{8.1, 7.9, 8.03};
  constexpr double radius = 5.3;
  double before = 0;
  for (const std::uint32_t n : {24U, 48U, 96U}) {
    const Body body(test::sphere(centre, radius, n), cube(16));
    expect_each_link_once(body);
    EXPECT_EQ(body.walls.assumed, 0);
    double sum = 0, links = 0;
    for_links(body, [&](const Cell& cell, const Velocity& c, double distance) {
      const Point start = body.centre(cell);
      double cc = 0, cd = 0, dd = -radius * radius;
      for (std::size_t a = 0; a < 3; ++a) {
        const double d = start[a] - centre[a];
        cc += c[a] * c[a], cd += c[a] * d, dd += d * d;
      }
      const double root = cd * cd - cc * dd;
      if (root < 0.2 * cc * radius) return; // too flat: the facets' error divided by next to nothing
      sum += std::pow(distance - (-cd - std::sqrt(root)) / cc, 2), ++links;
    });
    const double error = std::sqrt(sum / links);
    EXPECT_LT(error, 0.02);
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 2, 0.15);
    }
    before = error;
  }
}

TEST(WallLinks, NoLinkToASolidCellIsWithoutAWall) {
  // the poles of the sphere, where 48 slivers meet, lie on cell centres and on links
  Mesh tilted = test::torus(5, 2.2, 24), two = test::box({2.1, 3.2, 2.3}, {9.4, 8.7, 8.6}),
       mixed = test::sphere({8, 8, 8}, 4.7, 24);
  for (Point& corner : tilted.vertices) {
    const auto [x, y, z] = corner;
    corner = {8.2 + 0.8 * x + 0.6 * z, 8.1 + y, 7.7 - 0.6 * x + 0.8 * z};
  }
  test::append(two, test::box({5.3, 5.7, 5.1}, {12.2, 12.4, 13.9}));
  for (std::size_t n = 0; n < mixed.triangles.size(); n += 3)
    std::swap(mixed.triangles[n][0], mixed.triangles[n][1]);
  const Mesh poles = test::sphere({8.5, 8.5, 8.5}, 5, 24);
  // an octahedron with edges along links, but for the last bit of some corners
  Mesh skewed = test::sphere({0, 0, 0}, 1, 2);
  for (Point& corner : skewed.vertices) {
    const auto [x, y, z] = corner;
    corner = {3 + 2 * y, 6 - 2 * z, 3 - 2 * x + 2 * z};
  }
  for (const Mesh& mesh : {tilted, two, mixed, poles, skewed}) {
    const Body body(mesh, cube(16));
    expect_each_link_once(body);
    EXPECT_EQ(body.walls.assumed, 0);
    expect_traced(body);
  }
}

TEST(WallLinks, TheFluidMayBeInside) {
  const Mesh pipe = test::sphere({8.2, 8.1, 7.9}, 6.3, 20);
  const std::vector<std::uint8_t> inside = voxelise(pipe, cube(16));
  const Body body(pipe, cube(16), closed, fluid_of(inside));
  expect_each_link_once(body);
  EXPECT_EQ(body.walls.assumed, 0);
  expect_traced(body);
}

TEST(WallLinks, GridsHaveAnOriginAndASize) {
  Mesh mesh = test::sphere({8.2, 8.1, 7.9}, 5.1, 20);
  const Body plain(mesh, cube(16));
  for (Point& corner : mesh.vertices)
    corner = {100 + 0.125 * corner[0], -50 + 0.125 * corner[1], 0.125 * corner[2]};
  const Body moved(mesh, {{100, -50, 0}, 0.125, {16, 16, 16}});
  EXPECT_EQ(moved.walls.mask, plain.walls.mask);
  for (std::size_t p = 1; p < d3q27.size(); ++p) {
    for (std::size_t i = 0; i < plain.walls.cells.size(); ++i)
      EXPECT_NEAR(moved.walls.distance[p][i], plain.walls.distance[p][i], 1e-11);
  }
  const auto [x, y, z] = arms(moved.walls, moved.grid, moved.list, {101, -49, 1}); // cell (8, 8, 8)
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Cell cell = moved.list.position(moved.walls.cells[i]);
    EXPECT_EQ((Point{x[i], y[i], z[i]}),
              (Point{static_cast<double>(cell[0]) - 7.5, static_cast<double>(cell[1]) - 7.5,
                     static_cast<double>(cell[2]) - 7.5}));
  }
}

TEST(WallLinks, LinksGoAroundPeriodicAxes) {
  // posts end at a face, so that only what enters there from the other side has a wall half-way
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Point low{2.2, 2.2, 2.2}, high{5.2, 5.2, 5.2};
    low[axis] = 0;
    Periodic around{};
    around[axis] = true;
    const Body post(test::box(low, high), cube(8), around);
    expect_each_link_once(post);
    EXPECT_EQ(post.walls.assumed, 0);
    int crossing = 0;
    for_links(post, [&](const Cell& cell, const Velocity& c, double distance) {
      Point start = post.centre(cell);
      if (cell[axis] == 7) start[axis] -= 8, ++crossing;
      const std::vector<Slab> slabs{
          {{1, 0, 0}, low[0], high[0]}, {{0, 1, 0}, low[1], high[1]}, {{0, 0, 1}, low[2], high[2]}};
      EXPECT_NEAR(distance, entry(slabs, start, c), 1e-12);
    });
    EXPECT_EQ(crossing, 3 * 3 * 9); // to each of the solid cells at the face
  }

  // a sphere around the corners of a periodic box is the one in its middle
  constexpr std::int64_t n = 12;
  const Periodic periodic{true, true, true};
  const Body middle(test::sphere({6.1, 5.9, 6.05}, 3.3, 16), cube(n), periodic);
  Mesh eight;
  for (int corner = 0; corner < 8; ++corner)
    test::append(eight,
                 test::sphere({0.1 + n * (corner % 2), -0.1 + n * (corner / 2 % 2), 0.05 + n * (corner / 4)},
                              3.3, 16));
  const Body corners(eight, cube(n), periodic);
  expect_each_link_once(corners);
  EXPECT_EQ(corners.walls.assumed, 0);
  EXPECT_EQ(corners.walls.links, middle.walls.links);
  for (std::size_t i = 0; i < middle.walls.cells.size(); ++i) {
    Cell cell = middle.list.position(middle.walls.cells[i]);
    for (std::int64_t& place : cell)
      place = (place + n / 2) % n;
    const auto number = static_cast<std::uint32_t>(corners.list.cell_of(cell[0], cell[1], cell[2]));
    const auto found = std::ranges::find(corners.walls.cells, number);
    ASSERT_NE(found, corners.walls.cells.end());
    const auto j = static_cast<std::size_t>(found - corners.walls.cells.begin());
    EXPECT_EQ(corners.walls.mask[j], middle.walls.mask[i]);
    for (std::size_t p = 1; p < d3q27.size(); ++p)
      EXPECT_NEAR(corners.walls.distance[p][j], middle.walls.distance[p][i], 1e-11);
  }
}

TEST(WallLinks, LatticesOfThePlaneSeeASection) {
  const Mesh post = test::box({2.2, 3.3, -1}, {7.6, 8.1, 2});
  const Body body(post, {{0, 0, 0}, 1, {12, 12, 1}});
  std::vector<Velocity> d2q9;
  std::vector<std::size_t> place; // in D3Q27
  for (std::size_t q = 0; q < d3q27.size(); ++q) {
    if (d3q27[q][2] == 0) d2q9.push_back(d3q27[q]), place.push_back(q);
  }
  const WallLinks walls = wall_links(post, body.grid, body.solid, body.list, d2q9, closed);
  EXPECT_EQ(d2q9.size(), 9U);
  EXPECT_EQ(walls.assumed, 0);
  EXPECT_EQ(walls.links, 2 * (6 + 5) + 4 * (6 * 5 - 5 * 4)); // to 6 x 5 cells: along axes, and diagonals
  EXPECT_EQ(walls.cells, body.walls.cells);
  for (std::size_t q = 0; q < d2q9.size(); ++q)
    EXPECT_EQ(walls.distance[q], body.walls.distance[place[q]]);
  expect_exact(body, {{{1, 0, 0}, 2.2, 7.6}, {{0, 1, 0}, 3.3, 8.1}, {{0, 0, 1}, -1, 2}});
}

TEST(WallLinks, WhatNoSurfaceCrossesIsCountedAndHalfway) {
  const Mesh mesh = test::sphere({5, 5, 5}, 3.3, 16);
  std::vector<std::uint8_t> solid = voxelise(mesh, cube(12));
  solid[static_cast<std::size_t>(10 + 12 * (10 + 12 * 10))] = 1; // a stone that is not in the mesh
  const Body body(mesh, cube(12), closed, solid);
  expect_each_link_once(body);
  EXPECT_EQ(body.walls.assumed, 26);
  int at_the_stone = 0;
  for_links(body, [&](const Cell& cell, const Velocity& c, double distance) {
    if (beyond(cell, c) != Cell{10, 10, 10}) return;
    ++at_the_stone;
    EXPECT_EQ(distance, 0.5);
  });
  EXPECT_EQ(at_the_stone, 26);

  Mesh open = mesh;
  open.triangles.resize(open.triangles.size() / 2);
  const Body half(open, cube(12), closed, voxelise(mesh, cube(12)));
  EXPECT_GT(half.walls.assumed, half.walls.links / 4);
  EXPECT_LT(half.walls.assumed, half.walls.links * 3 / 4);
}

TEST(WallLinks, AnyNumberOfThreadsGivesTheSameBits) {
  const Mesh mesh = test::torus(5, 2.2, 20);
  const VoxelGrid grid{{-8, -8, -8}, 1, {16, 16, 16}};
  std::optional<WallLinks> first;
  for (const int threads : {1, 2, 7}) {
    std::optional<Environment> environment;
    try {
      environment.emplace(EnvironmentOptions{.threads = threads});
    } catch (const Error&) {
      continue; // built without OpenMP: there is one number of threads
    }
    const WallLinks walls = Body(mesh, grid).walls;
    if (!first) first = walls;
    EXPECT_EQ(walls.cells, first->cells);
    EXPECT_EQ(walls.mask, first->mask);
    EXPECT_EQ(walls.distance, first->distance);
  }
}

/// Mask and distances by place in the domain.
using Places = std::map<Cell, std::pair<std::uint32_t, std::vector<double>>>;
void add_places(Places& places, const IndexList& list, const WallLinks& walls) {
  for (std::size_t i = 0; i < walls.cells.size(); ++i) {
    auto& [mask, distances] = places[list.position(walls.cells[i])];
    mask = walls.mask[i];
    for (const auto& distance : walls.distance)
      distances.push_back(distance[i]);
  }
}

TEST(WallLinks, RanksAndOrdersHaveTheSameLinks) {
  const Mesh mesh = test::sphere({0.2, 6.1, 5.9}, 4.3, 16); // half of it beyond the face
  const VoxelGrid grid{{0, 0, 0}, 1, {12, 12, 12}};
  const std::vector<std::uint8_t> solid = voxelise(mesh, grid), fluid = fluid_of(solid);
  const Box domain{{-3, 20, 7}, {9, 32, 19}};
  const Periodic periodic{false, true, true};
  Places one, morton, ranks;
  const Body plain(mesh, grid, periodic);
  Places expected;
  add_places(expected, plain.list, plain.walls);
  const auto links_of = [&](const IndexList& list) {
    return wall_links(mesh, grid, solid, list, d3q27, periodic);
  };
  const IndexList rows(domain, fluid, periodic, some_link);
  add_places(one, rows, links_of(rows));
  const std::array<bool, 6> no_faces{};
  const IndexList curve(domain, fluid, periodic, some_link, Memory::host, no_faces, no_faces,
                        CellOrder::morton);
  add_places(morton, curve, links_of(curve));
  const BlockGrid blocks(domain, {1, 2, 3}, periodic, 3);
  std::size_t entries = 0;
  for (int rank = 0; rank < 3; ++rank) {
    const IndexList part(blocks, rank, flags_in_memory(fluid, domain, periodic), some_link);
    const WallLinks walls = links_of(part);
    entries += walls.cells.size();
    add_places(ranks, part, walls);
  }
  EXPECT_GT(one.size(), 100U);
  EXPECT_EQ(one.size(), expected.size());
  for (const auto& [cell, values] : expected)
    EXPECT_EQ(one[(Cell{cell[0] - 3, cell[1] + 20, cell[2] + 7})], values);
  EXPECT_EQ(entries, one.size());
  EXPECT_EQ(morton, one);
  EXPECT_EQ(ranks, one);
}

TEST(WallLinks, ValuesInEveryPrecision) {
  const std::vector<double> values{nearest, 0.5, 0.7, 1};
  EXPECT_EQ(entry_values<double>(values).to_host(), values);
  EXPECT_EQ(entry_values<float>(values).to_host(), (std::vector<float>{1e-7F, 0.5F, 0.7F, 1}));
  const std::vector<std::uint16_t> halves = entry_values<std::uint16_t>(values).to_host();
  EXPECT_GT(half_to_double(halves[0]), 0);
  EXPECT_EQ(half_to_double(halves[1]), 0.5);
  EXPECT_NEAR(half_to_double(halves[2]), 0.7, 0.0005);
  EXPECT_EQ(half_to_double(halves[3]), 1);
}

TEST(WallLinks, SaysWhatDoesNotFit) {
  const Mesh mesh = test::sphere({5, 5, 5}, 3.3, 8);
  const VoxelGrid grid = cube(10);
  const std::vector<std::uint8_t> solid = voxelise(mesh, grid);
  const IndexList list({{0, 0, 0}, grid.extent}, fluid_of(solid), closed, some_link);
  const auto message = [&](const VoxelGrid& cells, const std::vector<std::uint8_t>& flags,
                           const std::vector<Velocity>& velocities, const Mesh& surface) {
    return error_of([&] { (void)wall_links(surface, cells, flags, list, velocities, closed); });
  };
  EXPECT_TRUE(contains(message({{0, 0, 0}, 1, {10, 10, 9}}, solid, d3q27, mesh),
                       "the grid has (10, 10, 9) cells, but the domain of the list has (10, 10, 10)"));
  EXPECT_TRUE(contains(message(grid, {1, 2}, d3q27, mesh), "2 flags were given for 1000 cells"));
  EXPECT_TRUE(contains(message({{0, 0, 0}, 0, {10, 10, 10}}, solid, d3q27, mesh), "the cell size 0"));
  std::vector<std::uint8_t> more = solid;
  more[12] = 1;
  EXPECT_TRUE(contains(message(grid, more, d3q27, mesh), "cell (2, 1, 0) is listed, but solid"));
  EXPECT_TRUE(contains(message(grid, solid, {{0, 0, 0}, {1, 0, 0}}, mesh), "(1, 0, 0) has no opposite"));
  EXPECT_TRUE(
      contains(message(grid, solid, {{2, 0, 0}, {-2, 0, 0}}, mesh), "leads beyond the neighbouring cells"));
  EXPECT_TRUE(
      contains(message(grid, solid, {{0, 1, 0}, {0, -1, 0}, {0, 1, 0}}, mesh), "(0, 1, 0) appears twice"));
  EXPECT_TRUE(contains(message(grid, solid, std::vector<Velocity>(33), mesh), "a mask has 32 bits"));
  Mesh broken = mesh;
  broken.vertices[3][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(contains(message(grid, solid, d3q27, broken), "mesh 'sphere': a vertex is not finite"));
}

} // namespace
} // namespace heddle::geometry
