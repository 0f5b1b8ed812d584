// SPDX-License-Identifier: Apache-2.0
#include "heddle/geometry/voxelise.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "files.hpp"
#include "shapes.hpp"

namespace heddle::geometry {
namespace {

using test::contains;
using test::error_of;

constexpr double pi = std::numbers::pi;

VoxelGrid cube_grid(double half, std::int64_t n) {
  return {{-half, -half, -half}, 2 * half / static_cast<double>(n), {n, n, n}};
}

double volume(const std::vector<std::uint8_t>& inside, double cell) {
  return static_cast<double>(std::accumulate(inside.begin(), inside.end(), std::int64_t{0})) * cell * cell *
         cell;
}

TEST(Voxelise, VolumesOfSphereAndTorusConverge) {
  for (const std::int64_t n : {16, 64}) {
    const VoxelGrid grid = cube_grid(1.5, n);
    const double ball = volume(voxelise(test::sphere({0.01, 0.02, 0.03}, 1.2, 200), grid), grid.cell);
    const double ring = volume(voxelise(test::torus(1, 0.4, 200), grid), grid.cell);
    const double ball_error = std::abs(ball / (4 * pi / 3 * 1.728) - 1);
    const double ring_error = std::abs(ring / (2 * pi * pi * 0.16) - 1);
    EXPECT_LT(ball_error, n == 16 ? 0.05 : 0.004);
    EXPECT_LT(ring_error, n == 16 ? 0.05 : 0.01);
  }
}

TEST(Voxelise, EveryCellOfASphereIsRight) {
  const VoxelGrid grid = cube_grid(1.5, 40);
  const std::vector<std::uint8_t> inside = voxelise(test::sphere({0, 0, 0}, 1.2, 300), grid);
  for (std::int64_t n = 0; n < 40 * 40 * 40; ++n) {
    const auto centre = [&](std::int64_t i) { return -1.5 + (static_cast<double>(i) + 0.5) * grid.cell; };
    const double r = std::hypot(centre(n % 40), centre(n / 40 % 40), centre(n / 1600));
    if (std::abs(r - 1.2) > 1e-3) { // the polyhedron lies inside the sphere by less than this
      EXPECT_EQ(inside[static_cast<std::size_t>(n)], r < 1.2 ? 1 : 0);
    }
  }
}

TEST(Voxelise, BoxWhoseFacesAndEdgesRunThroughCellCentres) {
  // Rays through edges, diagonals and corners: the worst case for parity.
  const VoxelGrid grid{{0, 0, 0}, 1, {12, 12, 12}};
  const std::vector<std::uint8_t> inside = voxelise(test::box({2.5, 2.5, 2.5}, {8.5, 8.5, 8.5}), grid);
  for (std::int64_t n = 0; n < 12 * 12 * 12; ++n) {
    const std::array<std::int64_t, 3> cell{n % 12, n / 12 % 12, n / 144};
    bool within = true;
    bool outside = false;
    for (const std::int64_t c : cell) {
      within = within && c > 2 && c < 8;
      outside = outside || c < 2 || c > 8;
    }
    if (within || outside) {
      EXPECT_EQ(inside[static_cast<std::size_t>(n)], within ? 1 : 0) << n;
    }
  }
}

TEST(Voxelise, OverlappingBodiesAreAUnion) {
  Mesh mesh = test::box({-1, -1, -1}, {0.5, 0.5, 0.5});
  test::append(mesh, test::box({-0.5, -0.5, -0.5}, {1, 1, 1}));
  const VoxelGrid grid = cube_grid(1.25, 50); // cells of 0.05: exact
  EXPECT_NEAR(volume(voxelise(mesh, grid), grid.cell), 2 * 3.375 - 1, 1e-9);
}

TEST(Voxelise, MixedOrientationFallsBackToParity) {
  Mesh mesh = test::sphere({0, 0, 0}, 1.2, 100);
  for (std::size_t n = 0; n < mesh.triangles.size(); n += 3)
    std::swap(mesh.triangles[n][0], mesh.triangles[n][1]);
  const VoxelGrid grid = cube_grid(1.5, 48);
  EXPECT_NEAR(volume(voxelise(mesh, grid), grid.cell) / (4 * pi / 3 * 1.728), 1, 0.01);
}

TEST(Voxelise, ABodyThatSticksOutOfTheGridIsCut) {
  const VoxelGrid grid{{0, 0, 0}, 0.1, {10, 10, 10}};
  EXPECT_NEAR(volume(voxelise(test::box({-3, -3, -3}, {0.5, 9, 9}), grid), 0.1), 0.5, 1e-9);
}

TEST(Voxelise, ALeakIsReportedWithItsPlace) {
  Mesh mesh = test::sphere({1, 2, 3}, 1, 16);
  mesh.source = "ball.stl";
  std::erase_if(mesh.triangles, [](const auto& t) { return t[0] == 0; });
  const std::string message = error_of([&] { (void)voxelise(mesh, cube_grid(4, 8)); });
  EXPECT_TRUE(contains(message, "ball.stl"));
  EXPECT_TRUE(contains(message, "1 hole"));
  EXPECT_TRUE(contains(message, "(1, 2, 3.98"));
  EXPECT_TRUE(contains(message, "32 edges"));
}

TEST(BelowGround, CellsWithTheirCentreBelowTheHeightAreSolid) {
  const HeightMap map{2, 1, 10, {104.9, 115.1}};
  EXPECT_EQ(below_ground(map, 100, 3), (std::vector<std::uint8_t>{0, 1, 0, 1, 0, 0}));
}

TEST(Voxelise, MoreCellsThanTheMachineHoldsAreRefused) {
  constexpr std::int64_t wide = std::int64_t{1} << 32; // 2^64 cells, which wrap to none
  const auto refused = [](const auto& action) {
    EXPECT_TRUE(contains(error_of(action), "and the limit is"));
  };
  refused([] { (void)voxelise(test::box({0, 0, 0}, {1, 1, 1}), {{0, 0, 0}, 1, {wide, wide, 1}}); });
  refused([] { (void)below_ground({2, 2, 50, {1, 2, 3, 4}}, 0, std::int64_t{1} << 62); });
}

} // namespace
} // namespace heddle::geometry
