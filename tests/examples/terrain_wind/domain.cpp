// SPDX-License-Identifier: Apache-2.0
#include "domain.hpp"

#include <cmath>
#include <utility>

#include "heddle/sparse/boundary_links.hpp"
#include "heddle/sparse/index_list.hpp"
#include "inputs.hpp"
#include "solver.hpp"
#include "wind.hpp"

namespace terrain_wind {
namespace {

using test::contains;
using test::error_of;

Options options_for(const std::filesystem::path& input, double cell) {
  Options options;
  options.input = input;
  options.whole = true;
  options.cell = cell;
  options.height = 500;
  return options;
}

/// A ridge across the west-east direction, 200 m high.
std::string ridge_grid() {
  return test::ascii_grid(60, 40, 50, [](int column, int) {
    return std::to_string(100 + 200 * std::exp(-std::pow((column - 29.5) / 6, 2)));
  });
}

TEST(Domain, TheEdgesOfTheGroundAreLevel) {
  const test::Folder folder;
  const Domain domain = make_domain(options_for(folder.write("ridge.asc", ridge_grid()), 50));
  EXPECT_EQ(domain.nx, 60);
  EXPECT_EQ(domain.ny, 40);
  for (std::int64_t j = 0; j < domain.ny; ++j) {
    EXPECT_NEAR(domain.ground.at(0, j), domain.base, 3);
    EXPECT_NEAR(domain.ground.at(domain.nx - 1, j), domain.base, 3);
  }
  EXPECT_GT(domain.ground.at(30, 20), 280);
  EXPECT_GE(domain.top(), 300 + 500 - 10);
  EXPECT_FALSE(domain.is_fluid(30, 20, 0));
  EXPECT_TRUE(domain.is_fluid(30, 20, domain.nz - 1));
}

TEST(Domain, AWestWindSeesTheWestFirstAndANorthWindTheNorth) {
  const test::Folder folder;
  // Heights rise towards the east: 10 m a column.
  const auto file = folder.write(
      "slope.asc", test::ascii_grid(40, 40, 50, [](int column, int) { return std::to_string(10 * column); }));
  Options options = options_for(file, 50);
  const Domain west = make_domain(options);
  EXPECT_GT(west.ground.at(25, 20), west.ground.at(15, 20) + 50);
  options.direction = 90;
  const Domain east = make_domain(options);
  EXPECT_LT(east.ground.at(25, 20), east.ground.at(15, 20) - 50);
  options.direction = 0; // from the north: x points south, y to its left, which is east
  const Domain north = make_domain(options);
  EXPECT_NEAR(north.ground.at(25, 20), north.ground.at(15, 20), 1);
  EXPECT_GT(north.ground.at(20, 25), north.ground.at(20, 15) + 50);
}

TEST(Domain, TheFirstGuessIsFreeOfDivergence) {
  const test::Folder folder;
  const Domain domain = make_domain(options_for(folder.write("ridge.asc", ridge_grid()), 25));
  const LogProfile wind(10, 100, 0.5);
  const auto u = [&](std::int64_t i, std::int64_t j, std::int64_t k, std::size_t c) {
    return first_guess(domain, wind, i, j, k)[c];
  };
  double worst = 0;
  for (std::int64_t k = 8; k < domain.nz - 1; ++k)
    for (std::int64_t i = 2; i < domain.nx - 2; ++i) {
      const std::int64_t j = domain.ny / 2;
      if (domain.centre(k - 2) < domain.ground.at(i, j) + 50) continue;
      const double divergence =
          (u(i + 1, j, k, 0) - u(i - 1, j, k, 0) + u(i, j, k + 1, 2) - u(i, j, k - 1, 2)) / 50;
      worst = std::max(worst, std::abs(divergence));
    }
  EXPECT_LT(worst, 2e-3); // 1/s; the derivatives themselves reach
  EXPECT_GT(std::abs(u(70, 40, 20, 0) - u(50, 40, 20, 0)) / 500, 2 * worst);
}

TEST(Openings, EveryOpenLinkIsIncomingOnceAndWallsAreNot) {
  const test::Folder folder;
  const Domain domain = make_domain(options_for(folder.write("ridge.asc", ridge_grid()), 50));
  const std::vector<std::array<int, 3>> axes{{0, 0, 0},  {1, 0, 0}, {-1, 0, 0}, {0, 1, 0},
                                             {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 0, -1}};
  const heddle::IndexList list({{0, 0, 0}, {domain.nx, domain.ny, domain.nz}}, domain.fluid,
                               {false, true, false}, wind::links);
  const auto links_of = [&](Opening opening) {
    return heddle::links_to(list, axes,
                            [&](const auto& cell) { return opening_at(domain, cell) == opening; });
  };
  const heddle::BoundaryLinks inlet = links_of(Opening::inlet), open = links_of(Opening::open);
  for (std::size_t n = 0; n < inlet.cells.size(); ++n) {
    EXPECT_EQ(list.position(inlet.cells[n])[0], 0);
    EXPECT_EQ(inlet.mask[n] & ~0x82U, 0U) << "only +x and its diagonal come in at the inlet";
    EXPECT_NE(inlet.mask[n] & 0x02U, 0U);
  }
  std::size_t top = 0;
  for (std::size_t n = 0; n < open.cells.size(); ++n) {
    const auto [i, j, k] = list.position(open.cells[n]);
    EXPECT_EQ((open.mask[n] >> 2 & 1U) != 0, i == domain.nx - 1);
    EXPECT_EQ((open.mask[n] >> 6 & 1U) != 0, k == domain.nz - 1);
    EXPECT_EQ(open.mask[n] & 0x3AU, 0U) << "nothing comes in from -x, the sides or below";
    // (1, 0, -1) comes in at the top, but at the inlet's edge it is the inlet's.
    EXPECT_EQ((open.mask[n] >> 7 & 1U) != 0, k == domain.nz - 1 && i > 0);
    top += k == domain.nz - 1 ? 1U : 0U;
  }
  EXPECT_EQ(top, static_cast<std::size_t>(domain.nx * domain.ny));
  std::size_t air = 0;
  for (std::int64_t k = 0; k < domain.nz; ++k)
    for (std::int64_t j = 0; j < domain.ny; ++j)
      air += domain.is_fluid(0, j, k) ? 1U : 0U;
  EXPECT_EQ(inlet.cells.size(), air);
}

TEST(Domain, BadInputsAreNamed) {
  const test::Folder folder;
  const auto message = [](const Options& options) { return error_of([&] { (void)make_domain(options); }); };
  EXPECT_TRUE(contains(message(options_for(folder / "none.npz", 50)), "does not exist"));
  EXPECT_TRUE(contains(
      message(options_for(folder.write("gap.asc", test::ascii_grid(20, 20, 50,
                                                                   [](int c, int r) {
                                                                     return std::string(
                                                                         c == 7 && r == 3 ? "-9999" : "1");
                                                                   })),
                          50)),
      "the height is missing (NaN or NODATA) at row 3, column 7"));
  EXPECT_TRUE(contains(
      message(options_for(folder.write("nan.asc", test::ascii_grid(20, 20, 50,
                                                                   [](int c, int r) {
                                                                     return std::string(
                                                                         c == 7 && r == 3 ? "nan" : "1");
                                                                   })),
                          50)),
      "row 3, column 7"));
  EXPECT_TRUE(contains(message(options_for(folder.write("flat.asc", test::flat_grid(20, 20, 50, 0)), 500)),
                       "fewer than 4"));
  Options large = options_for(folder / "flat.asc", 0.5);
  large.height = 1000;
  EXPECT_TRUE(contains(message(large), "choose larger cells"));
  Options outside = options_for(folder / "flat.asc", 25);
  outside.whole = false;
  outside.centre_x = 100;
  outside.centre_y = 500;
  outside.length = 500;
  outside.width = 400;
  EXPECT_TRUE(contains(message(outside), "extends beyond the file's area by"));
}

TEST(Domain, WhatAFileAnnouncesIsComparedWithMemoryBeforeItIsAllocated) {
  const test::Folder folder;
  const auto message = [&](const std::string& name, const std::string& text) {
    return error_of([&] { (void)make_domain(options_for(folder.write(name, text), 50)); });
  };
  // 2^32 cells along both sides: their number wraps to none.
  EXPECT_TRUE(contains(message("a.asc", "ncols 2\nnrows 2\ndx 107374182400\ndy 107374182400\n1 2 3 4\n"),
                       "4294967296 x 4294967296 x 10 cells would need"));
  EXPECT_TRUE(contains(message("b.asc", "ncols 2\nnrows 2\ndx 426333425450\ndy 27042719050\n1 2 3 4\n"),
                       "17053337018 x 1081708762 x 10 cells would need"));
  // 38 bytes, and at the default size of cells more than a thousand million columns.
  EXPECT_TRUE(contains(message("c.asc", "ncols 2\nnrows 2\ndx 1e6\ndy 1e6\n1 2 3 4\n"),
                       "40000 x 40000 x 10 cells would need"));
  EXPECT_TRUE(
      contains(message("d.asc", "ncols 2\nnrows 2\ndx 1e300\ndy 1e300\n1 2 3 4\n"), "and the limit is"));
  const std::string faces = "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  EXPECT_TRUE(contains(message("e.obj", "v 0 0 0\nv 1e14 0 0\nv 0 1e14 0\nv 0 0 1e14\n" + faces),
                       "cells would need"));
}

TEST(Domain, AMeshStandsOnFlatGroundAndALeakIsRefused) {
  const test::Folder folder;
  const std::string vertices =
      "v 0 0 0\nv 40 0 0\nv 0 40 0\nv 40 40 0\nv 0 0 60\nv 40 0 60\nv 0 40 60\nv 40 40 60\n";
  const std::string sides = "f 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\nf 5 6 8 7\n";
  Options options = options_for(folder.write("tower.obj", vertices + sides + "f 1 3 4 2\n"), 10);
  options.height = 60;
  const Domain domain = make_domain(options);
  EXPECT_EQ(domain.nx * domain.ny * domain.nz - domain.fluid_cells(), 4 * 4 * 6);
  EXPECT_EQ(domain.bottom, 0);
  options.input = folder.write("open.obj", vertices + sides);
  EXPECT_TRUE(contains(error_of([&] { (void)make_domain(options); }),
                       "the surface leaks: 1 hole, the largest around (20, 20, 0)"));
}

} // namespace
} // namespace terrain_wind
