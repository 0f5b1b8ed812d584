// SPDX-License-Identifier: Apache-2.0
// A sweep whose fields do not fit its kernel, or each other, is refused when it is made.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/graph/sweep.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/link.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Field;
using heddle::SparseField;

/// Sweeps as they are emitted, of kernels that do nothing.
struct InSpace : heddle::SplitDenseSweep<InSpace, 3> {
  InSpace(Field<double>& u, Field<double>& v)
      : InSpace::base("m::space", heddle::reads(u, 1), heddle::writes(v)) {}
  static void host(const auto&...) {}
};
struct InPlane : heddle::DenseSweep<InPlane, 2> {
  InPlane(Field<double>& u, Field<double>& v)
      : InPlane::base("m::plane", heddle::reads(u), heddle::writes<2>(v)) {}
  static void host(const auto&...) {}
};
struct OfColumns : heddle::DenseSweep<OfColumns, 3> {
  OfColumns(Field<double>& plane, Field<double>& u)
      : OfColumns::base("m::columns", heddle::plane(heddle::updates(plane, {1, 1, 0})), heddle::reads(u)) {}
  static void host(const auto&...) {}
};
struct OverCells : heddle::RangeSweep<OverCells> {
  OverCells(SparseField<double>& f, SparseField<double>& g, heddle::CellRange range)
      : OverCells::base("m::cells", heddle::updates<3>(f), heddle::writes(g), range) {}
  static void host(const auto&...) {}
};

BlockGrid grid(std::int64_t x, std::int64_t y, std::int64_t z, int blocks = 1, int ranks = 1) {
  return BlockGrid({{0, 0, 0}, {x, y, z}}, {blocks, 1, 1}, {false, false, false}, ranks);
}

/// What the error says, or nothing.
std::string refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const heddle::Error& error) {
    return error.what();
  }
  return "";
}

TEST(SweepFit, FieldsOnTheSameBlocksAreTaken) {
  Field<double> u(grid(8, 6, 4, 2)), v(grid(8, 6, 4, 2), {.ghost_layers = 0});
  EXPECT_EQ(refusal([&] { InSpace(u, v); }), "");
}

TEST(SweepFit, FieldsOfOtherExtentsAreRefused) {
  Field<double> u(grid(64, 64, 1), {.name = "u"}), v(grid(8, 64, 1), {.name = "v"});
  EXPECT_EQ(refusal([&] { InSpace(u, v); }),
            "space: field 'v' has 8 cells along axis 0 of block 0, but the first field of the sweep has 64. "
            "Hint: construct all fields of a sweep on one BlockGrid");
}

TEST(SweepFit, FieldsOfOtherBlocksOrRanksAreRefused) {
  Field<double> u(grid(8, 8, 1)), v(grid(8, 8, 1, 4)), w(grid(8, 8, 1, 2, 2), {.rank = 1});
  EXPECT_NE(refusal([&] { InSpace(u, v); }).find("has other blocks"), std::string::npos);
  EXPECT_NE(refusal([&] { InSpace(v, u); }).find("has other blocks"), std::string::npos);
  EXPECT_NE(refusal([&] { InSpace(u, w); }).find("has other blocks"), std::string::npos);
}

TEST(SweepFit, AKernelOfTwoDimensionsOnLevelsIsRefused) {
  Field<double> u(grid(8, 8, 1)), v(grid(8, 8, 1), {.components = 2});
  EXPECT_EQ(refusal([&] { InPlane(u, v); }), "");
  Field<double> levels(grid(8, 8, 5), {.name = "u"}), more(grid(8, 8, 5), {.components = 2});
  EXPECT_NE(refusal([&] { InPlane(levels, more); }).find("field 'u' has 5 levels along z"),
            std::string::npos);
  Field<double> columns(grid(8, 8, 5), {.same_along = 2}),
      of_two(grid(8, 8, 5), {.components = 2, .same_along = 2});
  EXPECT_EQ(refusal([&] { InPlane(columns, of_two); }), "") << "one value per column";
}

TEST(SweepFit, APlaneHasOneValuePerColumnOfTheOtherFields) {
  Field<double> u(grid(8, 8, 5, 2)), one_level(grid(8, 8, 1, 2)), same(grid(8, 8, 5, 2), {.same_along = 2});
  EXPECT_EQ(refusal([&] { OfColumns(one_level, u); }), "");
  EXPECT_EQ(refusal([&] { OfColumns(same, u); }), "");
  EXPECT_EQ(OfColumns(same, u).grid().domain().extents()[2], 5) << "where a sweep runs, other fields say";
  Field<double> levels(grid(8, 8, 5, 2), {.name = "mu"});
  EXPECT_EQ(refusal([&] { OfColumns(levels, u); }),
            "columns: field 'mu' has 5 levels along z, but the kernel takes one value per column. "
            "Hint: construct it with {.same_along = 2}");
  Field<double> narrow(grid(8, 7, 1, 2)), one_block(grid(8, 8, 1)),
      bare(grid(8, 8, 1, 2), {.ghost_layers = 0});
  EXPECT_NE(refusal([&] { OfColumns(narrow, u); }).find("has 7 cells along axis 1"), std::string::npos);
  EXPECT_NE(refusal([&] { OfColumns(one_block, u); }).find("has other blocks"), std::string::npos);
  EXPECT_NE(refusal([&] { OfColumns(bare, u); }).find("ghost layers"), std::string::npos);
}

TEST(SweepFit, OtherComponentsAreRefused) {
  Field<double> u(grid(8, 8, 1)), v(grid(8, 8, 1), {.components = 2, .name = "v"});
  EXPECT_NE(
      refusal([&] { InSpace(u, v); }).find("field 'v' has 2 components, but the kernel takes one with 1"),
      std::string::npos);
  EXPECT_NE(refusal([&] { InPlane(u, u); }).find("has 1 components, but the kernel takes one with 2"),
            std::string::npos);
}

TEST(SweepFit, FieldsOverOtherListsAreRefused) {
  const auto all = [](std::int64_t levels) {
    const std::vector<std::uint8_t> flags(static_cast<std::size_t>(16 * levels), 1);
    const std::vector<heddle::Link> links{{0, {-1, 0, 0}, 0}};
    return heddle::IndexList({{0, 0, 0}, {4, 4, levels}}, flags, {true, true, true}, links);
  };
  const heddle::IndexList list = all(4), other = all(3);
  SparseField<double> f(list, 3), g(list, 1), far(other, 1), wide(list, 2);
  EXPECT_EQ(refusal([&] { OverCells(f, g, list.all()); }), "");
  EXPECT_NE(refusal([&] { OverCells(f, far, list.all()); }).find("on other cells"), std::string::npos);
  EXPECT_NE(refusal([&] { OverCells(f, wide, list.all()); }).find("has 2 components"), std::string::npos);
}

} // namespace
