// SPDX-License-Identifier: Apache-2.0
#include "heddle/sparse/index_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../support/lattice.hpp"
#include "../../support/some_solid.hpp"

namespace {

using heddle::Box;
using heddle::CellOrder;
using heddle::IndexList;
using heddle::Link;
using test::some_solid;
using Cell = std::array<std::int64_t, 3>;

TEST(CellOrder, OrdersOfCellsAreOneToOneAndKeepTheBorderLast) {
  const Box box{{-3, 5, 2}, {16, 16, 11}};
  const std::vector<std::uint8_t> flags = some_solid(box, 3);
  const std::array<bool, 3> periodic{true, false, true};
  const std::array<bool, 6> communicates{false, true, true, false, false, false};
  const std::vector<Link> links = lattice::pull_links();
  const IndexList rows(box, flags, periodic, links, heddle::Memory::host, communicates);
  for (const CellOrder order : {CellOrder::morton, CellOrder::hilbert}) {
    const IndexList list(box, flags, periodic, links, heddle::Memory::host, communicates, {}, order);
    ASSERT_EQ(list.count(), rows.count());
    ASSERT_EQ(list.interior(), rows.interior());
    std::vector<std::int64_t> number(static_cast<std::size_t>(rows.count())); // of the n-th cell row by row
    for (std::int64_t n = 0; n < rows.count(); ++n) {
      const Cell cell = rows.position(n);
      number[static_cast<std::size_t>(n)] = list.cell_of(cell[0], cell[1], cell[2]);
      ASSERT_EQ(list.position(number[static_cast<std::size_t>(n)]), cell);
      ASSERT_EQ(number[static_cast<std::size_t>(n)] < list.interior().last, n < rows.interior().last);
    }
    for (std::int64_t n = 0; n < rows.count(); ++n) {
      for (std::int64_t r = 0; r < list.rows(); ++r) {
        const std::int64_t entry = rows.neighbour()[r * rows.neighbour_stride() + n];
        const std::int64_t slot = entry / rows.slot_stride();
        const std::int64_t expected =
            slot * list.slot_stride() + number[static_cast<std::size_t>(entry % rows.slot_stride())];
        ASSERT_EQ(list.neighbour()[r * list.neighbour_stride() + number[static_cast<std::size_t>(n)]],
                  expected);
      }
    }
    const heddle::Buffer<std::uint32_t> all = list.select(flags, 1);
    ASSERT_EQ(all.size(), list.count());
    for (std::uint32_t n = 0; n < all.span().size(); ++n)
      ASSERT_EQ(all.span()[n], n);
  }
}

/// Mean distance between cells that follow each other.
double mean_step(const IndexList& list) {
  double sum = 0;
  for (std::int64_t n = 1; n < list.count(); ++n) {
    const Cell a = list.position(n - 1);
    const Cell b = list.position(n);
    sum += std::hypot(static_cast<double>(a[0] - b[0]), static_cast<double>(a[1] - b[1]),
                      static_cast<double>(a[2] - b[2]));
  }
  return sum / static_cast<double>(list.count() - 1);
}

TEST(CellOrder, CurvesAreWhatTheySay) {
  const Box cube{{0, 0, 0}, {8, 8, 8}};
  const std::vector<std::uint8_t> flags(512, 1);
  const auto list = [&](CellOrder order) {
    return IndexList(cube, flags, {false, false, false}, lattice::aa_links(), heddle::Memory::host, {}, {},
                     order);
  };
  const IndexList morton = list(CellOrder::morton); // bits of x, y, z in turn
  for (std::int64_t n = 0; n < 512; ++n) {
    Cell cell{};
    for (std::int64_t b = 0; b < 9; ++b)
      cell[static_cast<std::size_t>(b % 3)] |= (n >> b & 1) << b / 3;
    ASSERT_EQ(morton.position(n), cell);
  }
  EXPECT_DOUBLE_EQ(mean_step(list(CellOrder::hilbert)), 1.0); // each cell of a cube beside the one before
  EXPECT_GT(mean_step(morton), 1.2);
}

} // namespace
