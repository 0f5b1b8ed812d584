// SPDX-License-Identifier: Apache-2.0
// Permeability against published theory: a simple cubic array of spheres, a slit, Kozeny and Carman.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "compare.hpp"
#include "flow.hpp"
#include "packing.hpp"

namespace porous {
namespace {

double permeability(const Voxels& image, const Drive& drive) {
  heddle::Ranks one;
  Flow<float> flow(image, drive, heddle::Memory::host, one);
  const Steady steady = flow.run(1e-5, 100, 20'000);
  EXPECT_TRUE(steady.met);
  const std::int64_t period = image.extent[static_cast<std::size_t>(drive.axis)];
  return Flow<float>::permeability(drive, steady.flux, period, period);
}

/// A row of the table of Zick and Homsy (J. Fluid Mech. 115, 1982): share of solid, drag over Stokes' drag.
struct Array {
  double solid;
  double drag;
};

/// k = L^3 / (6 pi R K) for one sphere of radius R in a cube of edge L.
double published(double edge, const Array& array) {
  const double radius = edge * std::cbrt(3 * array.solid / (4 * std::numbers::pi));
  return edge * edge * edge / (6 * std::numbers::pi * radius * array.drag);
}

double found(std::int64_t edge, const Array& array, int axis) {
  const double diameter = 2 * static_cast<double>(edge) * std::cbrt(3 * array.solid / (4 * std::numbers::pi));
  return permeability(cubic_array(edge, diameter), {.axis = axis});
}

TEST(CubicArray, HasThePermeabilityOfZickAndHomsy) {
  // walls follow the voxels: a sphere of 12 to 23 voxels is up to a quarter of a voxel too large
  EXPECT_NEAR(found(24, {0.064, 2.810}, 0) / published(24, {0.064, 2.810}), 1, 0.05);
  EXPECT_NEAR(found(24, {0.216, 7.442}, 1) / published(24, {0.216, 7.442}), 1, 0.05);
  EXPECT_NEAR(found(24, {0.45, 28.1}, 2) / published(24, {0.45, 28.1}), 1, 0.06);
}

TEST(Slit, HasItsPermeabilityWhateverTheViscosity) {
  // u = g / (2 nu) y (h - y) between solid layers, at the middles of h voxels: together g / nu (h^3 / 12 + h
  // / 24)
  for (const double viscosity : {0.05, 1.0 / 6, 0.5}) {
    Voxels slit{{3, 12, 2}, std::vector<std::uint8_t>(72, 1), "slit"};
    for (std::int64_t z = 0; z < 2; ++z)
      for (std::int64_t x = 0; x < 3; ++x)
        for (const std::int64_t y : {std::int64_t{0}, std::int64_t{11}})
          slit.pore[slit.index(x, y, z)] = 0;
    heddle::Ranks one;
    Flow<double> flow(slit, {.axis = 0, .viscosity = viscosity}, heddle::Memory::host, one);
    const Steady steady = flow.run(1e-9, 100, 40'000);
    EXPECT_NEAR(Flow<double>::permeability({.axis = 0, .viscosity = viscosity}, steady.flux, 3, 3),
                (10.0 * 10 * 10 / 12 + 10.0 / 24) / 12, 1e-6);
  }
}

TEST(RandomPacking, FollowsKozenyAndCarman) {
  // their constant 180 is a mean over packings with a spread of some 20 %
  double diameter = 0;
  const Voxels image = random_packing(48, 14, 0.42, 1, diameter);
  EXPECT_NEAR(image.porosity(), 0.42, 0.002);
  EXPECT_NEAR(diameter, 14, 0.3);
  EXPECT_NEAR(permeability(image, {}) / kozeny_carman(diameter, 0.42), 1, 0.25);
}

TEST(RandomPacking, ReachesThePorositiesThatItPromises) {
  for (const double porosity : {0.3, 0.5, 0.8}) {
    double diameter = 0;
    EXPECT_NEAR(random_packing(40, 10, porosity, 3, diameter).porosity(), porosity, 0.003);
    EXPECT_NEAR(diameter, 10, 0.4);
  }
}

TEST(Compare, FindsTheCrossover) {
  const std::vector<Costs> rows{
      {0.4, 10, 20, 2, 400, 250}, {0.6, 15, 20, 4.0 / 3, 300, 250}, {0.8, 25, 20, 0.8, 200, 250}};
  EXPECT_NEAR(crossover(rows), 0.6 + 0.2 * (1.0 / 3) / (1.0 / 3 + 0.2), 1e-12);
  EXPECT_EQ(crossover(std::span(rows).first(2)), 1);
  EXPECT_EQ(crossover(std::span(rows).last(1)), 0);
  EXPECT_NEAR(memory_crossover(rows), 0.7, 1e-12); // 300 to 250 and 200 to 250: half-way
}

TEST(Compare, TimesBothKernels) {
  const std::vector<double> porosities{0.5, 1.0};
  const std::vector<Costs> rows = compare(porosities, 24, 8, 1, heddle::Memory::host);
  ASSERT_EQ(rows.size(), 2U);
  for (const Costs& row : rows) {
    EXPECT_GT(row.dense_speed, 0);
    EXPECT_GT(row.sparse_speed, 0);
  }
  EXPECT_NEAR(rows[0].dense_bytes, 2 * rows[1].dense_bytes, 0.02 * rows[0].dense_bytes);
}

} // namespace
} // namespace porous
