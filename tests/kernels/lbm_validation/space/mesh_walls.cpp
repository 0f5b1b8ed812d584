// SPDX-License-Identifier: Apache-2.0
// Walls that come from a mesh of triangles, in the flow through an array of spheres.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../runtime/geometry/shapes.hpp"
#include "flows/sphere_array.hpp"
#include "heddle/geometry/wall_links.hpp"

namespace validation {
namespace {

constexpr int cells = 12;
constexpr std::array<bool, 3> periodic{true, true, true};
const Ball ball{{6.13, 5.9, 6.05}, 3.72, 3};

double of_the_sphere() {
  const Cell extent{cells, cells, cells};
  ListFlow<double, 19> flow(d3q19, lbm_validation_space::links, extent, outside(extent, ball), periodic);
  Body<double, 19> body(flow, ball);
  return array_drag(ListArray(flow, body), cells, ball.radius).first;
}

/// Of a mesh of 2 n x n quads, which lies within the sphere. Coarser than n = 48 it makes other cells solid.
double of_a_mesh(std::uint32_t n) {
  using namespace heddle::geometry;
  const Mesh mesh = heddle::test::sphere(ball.centre, ball.radius, n);
  const VoxelGrid grid{{0, 0, 0}, 1, {cells, cells, cells}};
  const std::vector<std::uint8_t> solid = voxelise(mesh, grid);
  std::vector<std::uint8_t> fluid(solid.size());
  std::ranges::transform(solid, fluid.begin(), [](std::uint8_t s) { return s == 0 ? 1 : 0; });
  ListFlow<double, 19> flow(d3q19, lbm_validation_space::links, grid.extent, fluid, periodic);
  const WallLinks walls = wall_links(mesh, grid, solid, flow.list(), d3q19.c, periodic);
  EXPECT_EQ(walls.assumed, 0);
  std::vector<heddle::Buffer<double>> distances;
  for (std::size_t q = 1; q < d3q19.size; ++q)
    distances.push_back(entry_values<double>(walls.distance[opposite(q)]));
  Body<double, 19> body(Patch{buffer(walls.cells), buffer(walls.mask)}, std::move(distances));
  return array_drag(ListArray(flow, body), cells, ball.radius).first;
}

TEST(MeshWalls, DragOfAnArrayOfSpheresConvergesWithTheTriangles) {
  const double exact = of_the_sphere();
  double before = 0;
  for (const std::uint32_t n : {48U, 96U, 192U}) {
    const double error = 1 - of_a_mesh(n) / exact;
    RecordProperty("error, n = " + std::to_string(n), std::to_string(error));
    if (before != 0) {
      EXPECT_NEAR(std::log2(before / error), 2, 0.15) << before << ' ' << error;
    }
    before = error;
  }
  EXPECT_LT(before, 2e-4);
}

} // namespace
} // namespace validation
