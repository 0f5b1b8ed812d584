// SPDX-License-Identifier: Apache-2.0
// Own code, not OpenVDB: rays in the order of the cells give the same bits on each machine (decision 0143).
#include "heddle/geometry/voxelise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "heddle/core/error.hpp"
#include "heddle/core/size.hpp"

namespace heddle::geometry {
namespace {

void require_closed(const Mesh& mesh) {
  const std::vector<Leak> holes = leaks(mesh);
  if (holes.empty()) return;
  const Leak& hole = holes.front();
  std::ostringstream what;
  what << "the surface leaks: " << holes.size() << (holes.size() == 1 ? " hole" : " holes")
       << ", the largest around (" << hole.centre[0] << ", " << hole.centre[1] << ", " << hole.centre[2]
       << ") with a rim of " << hole.edges << " edges, " << hole.length << " long";
  throw Error("mesh '" + mesh.source + "'", what.str(),
              "close it in a mesh editor, or weld vertices over a larger distance");
}

/// Each edge is run through as often one way as the other: then the winding number is defined.
bool consistently_oriented(const Mesh& mesh) {
  struct Run {
    std::uint32_t low, high;
    int direction;
  };
  std::vector<Run> runs;
  runs.reserve(mesh.triangles.size() * 3);
  for (const auto& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k];
      const std::uint32_t b = t[(k + 1) % 3];
      runs.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return a.low != b.low ? a.low < b.low : a.high < b.high; });
  for (std::size_t first = 0, last = 0; first < runs.size(); first = last) {
    int sum = 0;
    for (; last < runs.size() && runs[last].low == runs[first].low && runs[last].high == runs[first].high;
         ++last)
      sum += runs[last].direction;
    if (sum != 0) return false;
  }
  return true;
}

struct Plane {
  double u, v;
};

/// How the ray from `p` towards +u crosses the edge a -> b: +1 upwards in v, -1 downwards, 0 not at all.
/// The lower end is always taken first, so that both triangles of an edge compute the very same number.
int edge_crossing(Plane a, Plane b, Plane p) {
  const bool a_below = a.v <= p.v;
  const bool b_below = b.v <= p.v;
  if (a_below == b_below) return 0;
  const Plane low = a_below ? a : b;
  const Plane high = a_below ? b : a;
  const double side = (high.u - low.u) * (p.v - low.v) - (p.u - low.u) * (high.v - low.v);
  if (!(side > 0)) return 0;
  return a_below ? 1 : -1;
}

struct Crossing {
  double depth;
  int sign;
};

/// Crossings of the surface with all rays along `axis`, sorted by depth; one list a cell column (u fastest).
std::vector<std::vector<Crossing>> cross(const Mesh& mesh, const VoxelGrid& grid, std::size_t axis) {
  const std::size_t u_axis = (axis + 1) % 3;
  const std::size_t v_axis = (axis + 2) % 3;
  const std::int64_t nu = grid.extent[u_axis];
  const std::int64_t nv = grid.extent[v_axis];
  std::vector<std::vector<Crossing>> columns(static_cast<std::size_t>(nu * nv));
  const auto centre = [&](std::int64_t n, std::size_t a) {
    return grid.origin[a] + (static_cast<double>(n) + 0.5) * grid.cell;
  };
  // First and last column whose ray may meet an interval; one column to spare against rounding.
  const auto range = [&](double low, double high, std::size_t a) {
    const double first = std::floor((low - grid.origin[a]) / grid.cell - 0.5) - 1;
    const double last = std::ceil((high - grid.origin[a]) / grid.cell - 0.5) + 1;
    const auto limit = static_cast<double>(grid.extent[a]);
    return std::array<std::int64_t, 2>{static_cast<std::int64_t>(std::clamp(first, 0.0, limit)),
                                       static_cast<std::int64_t>(std::clamp(last + 1, 0.0, limit))};
  };
  for (const auto& triangle : mesh.triangles) {
    std::array<Plane, 3> corner{};
    std::array<double, 3> depth{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Point& point = mesh.vertices[triangle[k]];
      corner[k] = {point[u_axis], point[v_axis]};
      depth[k] = point[axis];
    }
    const auto [low_u, high_u] = std::minmax({corner[0].u, corner[1].u, corner[2].u});
    const auto [low_v, high_v] = std::minmax({corner[0].v, corner[1].v, corner[2].v});
    const auto [near, far] = std::minmax({depth[0], depth[1], depth[2]});
    const auto [u_begin, u_end] = range(low_u, high_u, u_axis);
    const auto [v_begin, v_end] = range(low_v, high_v, v_axis);
    const double area = (corner[1].u - corner[0].u) * (corner[2].v - corner[0].v) -
                        (corner[2].u - corner[0].u) * (corner[1].v - corner[0].v);
    for (std::int64_t v = v_begin; v < v_end; ++v)
      for (std::int64_t u = u_begin; u < u_end; ++u) {
        const Plane p{centre(u, u_axis), centre(v, v_axis)};
        const int sign = edge_crossing(corner[0], corner[1], p) + edge_crossing(corner[1], corner[2], p) +
                         edge_crossing(corner[2], corner[0], p);
        if (sign == 0) continue;
        double at = (near + far) / 2;
        if (area != 0) {
          const double s = ((p.u - corner[0].u) * (corner[2].v - corner[0].v) -
                            (corner[2].u - corner[0].u) * (p.v - corner[0].v)) /
                           area;
          const double t = ((corner[1].u - corner[0].u) * (p.v - corner[0].v) -
                            (p.u - corner[0].u) * (corner[1].v - corner[0].v)) /
                           area;
          at = std::clamp(depth[0] + s * (depth[1] - depth[0]) + t * (depth[2] - depth[0]), near, far);
        }
        columns[static_cast<std::size_t>(u + nu * v)].push_back({at, sign});
      }
  }
  for (auto& column : columns)
    std::sort(column.begin(), column.end(), [](const Crossing& a, const Crossing& b) {
      return a.depth != b.depth ? a.depth < b.depth : a.sign < b.sign;
    });
  return columns;
}

} // namespace

std::vector<std::uint8_t> voxelise(const Mesh& mesh, const VoxelGrid& grid) {
  const std::int64_t cells = require_size(
      {"mesh '" + mesh.source + "'", "cells of the grid", {grid.extent[0], grid.extent[1], grid.extent[2]}},
      memory_limit(), "choose larger cells");
  require_closed(mesh);
  const bool oriented = consistently_oriented(mesh);
  std::vector<std::uint8_t> votes(static_cast<std::size_t>(cells), 0);
  const std::array<std::int64_t, 3> stride{1, grid.extent[0], grid.extent[0] * grid.extent[1]};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<std::vector<Crossing>> columns = cross(mesh, grid, axis);
    const std::size_t u_axis = (axis + 1) % 3;
    const std::size_t v_axis = (axis + 2) % 3;
    for (std::int64_t v = 0; v < grid.extent[v_axis]; ++v)
      for (std::int64_t u = 0; u < grid.extent[u_axis]; ++u) {
        const auto& column = columns[static_cast<std::size_t>(u + grid.extent[u_axis] * v)];
        std::size_t passed = 0;
        int winding = 0;
        for (std::int64_t w = 0; w < grid.extent[axis]; ++w) {
          const double depth = grid.origin[axis] + (static_cast<double>(w) + 0.5) * grid.cell;
          for (; passed < column.size() && column[passed].depth <= depth; ++passed)
            winding += column[passed].sign;
          const bool inside = oriented ? winding != 0 : passed % 2 == 1;
          const std::int64_t cell = u * stride[u_axis] + v * stride[v_axis] + w * stride[axis];
          if (inside) ++votes[static_cast<std::size_t>(cell)];
        }
      }
  }
  for (std::uint8_t& vote : votes)
    vote = vote >= 2 ? 1 : 0;
  return votes;
}

std::vector<std::uint8_t> below_ground(const HeightMap& map, double grid_bottom, std::int64_t layers) {
  const std::int64_t cells = require_size({"grid above the ground", "cells", {map.nx, map.ny, layers}},
                                          memory_limit(), "choose larger cells");
  std::vector<std::uint8_t> solid(static_cast<std::size_t>(cells), 0);
  const auto plane = static_cast<std::size_t>(map.nx * map.ny);
  for (std::int64_t k = 0; k < layers; ++k) {
    const double centre = grid_bottom + (static_cast<double>(k) + 0.5) * map.cell;
    for (std::size_t n = 0; n < plane; ++n)
      solid[static_cast<std::size_t>(k) * plane + n] = centre < map.height[n] ? 1 : 0;
  }
  return solid;
}

} // namespace heddle::geometry
