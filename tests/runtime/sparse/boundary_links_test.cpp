// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/boundary_links.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "../../support/lattice.hpp"
#include "../../support/messages.hpp"
#include "../../support/some_solid.hpp"
#include "heddle/core/error.hpp"
#include "heddle/sparse/index_list.hpp"

namespace {

using heddle::BoundaryLinks;
using heddle::Box;
using heddle::IndexList;
using heddle::link_velocities;
using lattice::d3q19;
using Cell = std::array<std::int64_t, 3>;
using Place = std::array<double, 3>;

const Box box{{-2, 0, 7}, {5, 6, 12}};

TEST(BoundaryLinks, OfASideLeaveTheEdgesToTheWalls) {
  const std::vector<std::uint8_t> flags = test::some_solid(box, 3);
  for (const bool around : {false, true}) {
    const std::array<bool, 3> periodic{false, around, false};
    const IndexList list(box, flags, periodic, lattice::aa_links());
    const BoundaryLinks inlet = links_through_side(list, {-1, 0, 0}, d3q19, periodic);
    ASSERT_EQ(inlet.cells.size(), inlet.mask.size());
    std::size_t entry = 0;
    for (std::int64_t n = 0; n < list.count(); ++n) {
      const Cell cell = list.position(n);
      if (cell[0] != -2) continue; // the only cells with links through that side
      std::uint32_t expected = 0;
      for (std::size_t q = 0; q < d3q19.size(); ++q) {
        const std::int64_t y = cell[1] - d3q19[q][1], z = cell[2] - d3q19[q][2];
        if (d3q19[q][0] == 1 && (around || (y >= 0 && y < 6)) && z >= 7 && z < 12) expected |= 1U << q;
      }
      ASSERT_LT(entry, inlet.cells.size());
      EXPECT_EQ(inlet.cells[entry], n);
      EXPECT_EQ(inlet.mask[entry], expected);
      ++entry;
    }
    EXPECT_EQ(entry, inlet.cells.size());
    EXPECT_GT(entry, 10U);
  }
}

TEST(BoundaryLinks, OfUpperSides) {
  const IndexList list(box, std::vector<std::uint8_t>(7 * 6 * 5, 1), {false, false, false},
                       lattice::aa_links());
  const BoundaryLinks top = links_through_side(list, {0, 0, 1}, d3q19, {false, false, false});
  ASSERT_EQ(top.cells.size(), 7U * 6);
  EXPECT_EQ(list.position(top.cells[0]), (Cell{-2, 0, 11}));
  for (std::size_t i = 0; i < top.cells.size(); ++i) {
    for (std::size_t q = 0; q < d3q19.size(); ++q) {
      if ((top.mask[i] >> q & 1U) != 0) {
        EXPECT_EQ(d3q19[q][2], -1);
      }
    }
  }
}

TEST(BoundaryLinks, LeadWhereSomethingHolds) {
  const IndexList list(box, std::vector<std::uint8_t>(7 * 6 * 5, 1), {false, false, false},
                       lattice::aa_links());
  const Cell hole{-3, 2, 9}; // beside the west side
  const BoundaryLinks links = links_to(list, d3q19, [&](const Cell& cell) { return cell == hole; });
  ASSERT_EQ(links.cells.size(), 5U); // straight, and over four edges
  for (std::size_t i = 0; i < 5; ++i) {
    const Cell cell = list.position(links.cells[i]);
    for (std::size_t q = 0; q < d3q19.size(); ++q) {
      const bool leads = cell[0] - d3q19[q][0] == hole[0] && cell[1] - d3q19[q][1] == hole[1] &&
                         cell[2] - d3q19[q][2] == hole[2];
      EXPECT_EQ((links.mask[i] >> q & 1U) != 0, leads);
    }
  }
}

TEST(BoundaryLinks, VelocitiesAreThoseWhereLinksMeetTheWall) {
  const IndexList list(box, std::vector<std::uint8_t>(7 * 6 * 5, 1), {false, false, false},
                       lattice::aa_links());
  const BoundaryLinks inlet = links_through_side(list, {-1, 0, 0}, d3q19, {false, false, false});
  const auto centres = cell_centres(list, inlet.cells);
  const Cell first = list.position(inlet.cells[0]);
  for (std::size_t a = 0; a < 3; ++a)
    EXPECT_EQ(centres[a][0], static_cast<double>(first[a] - box.lower[a]) + 0.5);
  const auto wall = [](const Place& at) { return Place{1 + at[1] * at[2], 2 * at[0] - at[2], at[1]}; };
  std::vector<std::vector<double>> distance(19, std::vector<double>(inlet.cells.size()));
  for (std::size_t q = 0; q < 19; ++q)
    for (std::size_t i = 0; i < inlet.cells.size(); ++i)
      distance[q][i] = 0.05 * static_cast<double>(q) + 0.01 * static_cast<double>(i % 7);
  for (const bool halfway : {true, false}) {
    const auto found = link_velocities(centres, inlet.mask,
                                       halfway ? std::vector<std::vector<double>>() : distance, d3q19, wall);
    ASSERT_EQ(found.size(), 19U);
    for (std::size_t p = 0; p < 19; ++p) {
      const auto& c = d3q19[p];
      const auto q = static_cast<std::size_t>(test::opposite(static_cast<int>(p)));
      for (std::size_t i = 0; i < inlet.cells.size(); ++i) {
        const double d = halfway ? 0.5 : distance[p][i];
        const Place u = wall({centres[0][i] + d * c[0], centres[1][i] + d * c[1], centres[2][i] + d * c[2]});
        const bool met = (inlet.mask[i] >> q & 1U) != 0;
        EXPECT_NEAR(found[p][i], met ? c[0] * u[0] + c[1] * u[1] + c[2] * u[2] : 0, 1e-12);
      }
    }
  }
}

TEST(BoundaryLinks, RefuseWhatDoesNotFit) {
  const std::array<bool, 3> periodic{true, false, false};
  const IndexList list(box, std::vector<std::uint8_t>(7 * 6 * 5, 1), periodic, lattice::aa_links());
  using test::contains;
  using test::error_of;
  const auto side = [&](const std::array<int, 3>& normal) {
    return error_of([&] { (void)links_through_side(list, normal, d3q19, periodic); });
  };
  EXPECT_TRUE(contains(side({-1, 0, 0}), "the domain is periodic across the side (-1, 0, 0)"));
  EXPECT_TRUE(contains(side({0, 2, 0}), "(0, 2, 0) is not the outward normal of a side"));
  EXPECT_TRUE(contains(side({0, 1, 1}), "is not the outward normal of a side"));
  const std::vector<std::array<int, 3>> many(33);
  EXPECT_TRUE(contains(error_of([&] { (void)links_to(list, many, [](const Cell&) { return true; }); }),
                       "a mask has 32 bits, but the lattice has 33 velocities"));
  const std::array<std::vector<double>, 3> centres{{{0.5}, {0.5}, {0.5}}};
  const auto still = [](const Place&) { return Place{}; };
  const std::vector<std::uint32_t> one{2}, two{2, 2};
  EXPECT_TRUE(contains(error_of([&] { (void)link_velocities(centres, two, {}, d3q19, still); }),
                       "centres, mask and distances are not of the same entries"));
  const std::vector<std::array<int, 3>> lame{{0, 0, 0}, {1, 0, 0}};
  EXPECT_TRUE(contains(error_of([&] { (void)link_velocities(centres, one, {}, lame, still); }),
                       "velocity 1 has no opposite"));
}

} // namespace
