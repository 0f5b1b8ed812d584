// SPDX-License-Identifier: Apache-2.0
#include "heddle/grid/field.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/grid/profile.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Box;
using heddle::Buffer;
using heddle::Error;
using heddle::Field;
using heddle::FieldLayout;
using heddle::FieldView;
using heddle::Memory;

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

TEST(Profile, TakesNewValues) {
  const Box domain{{0, 0, 2}, {4, 4, 5}};
  const std::vector<double> before{0, 1, 2, 3, 4}, after{9, 8, 7, 6, 5};
  heddle::Profile<double> profile(domain, 2, 1, before);
  profile.write(after);
  EXPECT_EQ(profile.first(domain)[0], 8);
  EXPECT_EQ(profile.first(domain)[3], 5);
  EXPECT_THROW(profile.write(std::vector<double>{1, 2, 3}), Error);
}

TEST(Buffer, IsZeroAlignedAndMoves) {
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{3'000'001}}) {
    Buffer<double> buffer(count);
    EXPECT_EQ(address(buffer.data()) % 64, 0U);
    for (const double value : buffer.span())
      ASSERT_EQ(value, 0.0);
    buffer.span()[0] = 7.0;
    Buffer<double> other = std::move(buffer);
    EXPECT_EQ(other.size(), count);
    EXPECT_EQ(other.span()[0], 7.0);
  }
  EXPECT_EQ(address(Buffer<char>(4 << 20).data()) % (2U << 20), 0U); // room for huge pages
}

TEST(Buffer, ZeroesEverySegment) {
  // A segment that does not divide the size, over memory that was used before.
  for (int trial = 0; trial < 3; ++trial) {
    Buffer<std::uint8_t> dirty(1003, Memory::host, Buffer<std::uint8_t>::Contents::undefined);
    std::fill(dirty.span().begin(), dirty.span().end(), std::uint8_t{255});
    heddle::zero(dirty.data(), dirty.bytes(), 97, Memory::host);
    for (const std::uint8_t value : dirty.span())
      ASSERT_EQ(value, 0);
  }
}

TEST(Buffer, RefusesWhatCannotBe) {
  EXPECT_THROW(Buffer<double>(-1), Error);
  EXPECT_THROW(Buffer<double>(std::int64_t{1} << 61), Error);
  Buffer<int> three(3);
  EXPECT_THROW(three.copy_from(Buffer<int>(4)), Error);
}

TEST(Memory, DeviceWithoutCudaIsRefusedInWords) {
  if (heddle::built_with_cuda()) {
    EXPECT_STREQ(heddle::to_string(Memory::device), "device");
    return;
  }
  for (const Memory memory : {Memory::device, Memory::pinned}) {
    try {
      Buffer<float> buffer(16, memory);
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("built without CUDA"), std::string::npos) << error.what();
    }
  }
}

TEST(FieldLayout, SpreadsRowsAndStreams) {
  for (const std::size_t element : {std::size_t{2}, std::size_t{4}, std::size_t{8}}) {
    for (const std::int64_t n : {1, 5, 16, 62, 64, 126, 128, 192, 256}) {
      for (const int ghosts : {0, 1, 3}) {
        const FieldLayout layout({n, n, n}, 27, ghosts, element);
        const auto line = static_cast<std::int64_t>(64 / element);
        EXPECT_EQ(layout.stride[0], 1);
        EXPECT_EQ(layout.origin % line, 0);
        for (std::size_t d = 1; d < 4; ++d)
          EXPECT_EQ(layout.stride[d] % line, 0);
        EXPECT_EQ(layout.stride[1] / line % 2, 1);
        EXPECT_EQ(layout.stride[2] % layout.stride[1], 0);
        EXPECT_NE(layout.stride[2] * static_cast<std::int64_t>(element) % 4096, 0);
        // 27 streams on 27 different sets of a way of 64 lines, none next to another
        std::set<std::int64_t> sets;
        for (std::int64_t c = 0; c < 27; ++c)
          sets.insert(c * (layout.stride[3] / line) % 64);
        EXPECT_EQ(sets.size(), 27U);
        for (const std::int64_t set : sets)
          EXPECT_FALSE(sets.contains((set + 1) % 64));
        // rows hold their ghosts, and the whole lies in the allocation
        EXPECT_GE(layout.stride[1], n + 2 * ghosts);
        EXPECT_GE(layout.stride[2], layout.stride[1] * (n + 2 * ghosts));
        const std::int64_t low = layout.origin - ghosts * (1 + layout.stride[1] + layout.stride[2]);
        const std::int64_t high = layout.origin + 26 * layout.stride[3] +
                                  (n + ghosts - 1) * (1 + layout.stride[1] + layout.stride[2]);
        EXPECT_GE(low, 0);
        EXPECT_LT(high, layout.size);
        EXPECT_GE(layout.stride[3], high - 26 * layout.stride[3] - low + 1);
      }
    }
  }
}

TEST(FieldLayout, PaddingOfLargeFieldsIsSmall) {
  const FieldLayout layout({256, 256, 256}, 19, 1, 8);
  EXPECT_LT(static_cast<double>(layout.size), 1.08 * 19 * 258 * 258 * 258);
  std::set<std::int64_t> sets; // of a 64 KiB way
  for (std::int64_t c = 0; c < 19; ++c)
    sets.insert(c * (layout.stride[3] / 8) % 1024);
  for (const std::int64_t set : sets) {
    for (std::int64_t near = 1; near < 16; ++near)
      EXPECT_FALSE(sets.contains((set + near) % 1024));
  }
}

TEST(FieldLayout, OnADeviceRowsAndStreamsStartAt256Bytes) {
  for (const std::size_t element : {std::size_t{2}, std::size_t{4}, std::size_t{8}}) {
    for (const int interleaved : {1, 2, 4}) {
      for (const std::int64_t n : {1, 62, 64, 126, 128}) {
        const FieldLayout layout({n, n, n}, 19, 1, element, heddle::Memory::device, interleaved);
        const auto piece = static_cast<std::int64_t>(256 / element);
        EXPECT_EQ(layout.stride[0], interleaved);
        EXPECT_EQ(layout.origin % piece, 0);
        for (std::size_t d = 1; d < 4; ++d)
          EXPECT_EQ(layout.stride[d] % piece, 0);
        EXPECT_GE(layout.stride[1], (n + 2) * interleaved);
        EXPECT_GE(layout.origin, interleaved + layout.stride[1] + layout.stride[2]);
        const std::int64_t high =
            layout.origin + 18 * layout.stride[3] + n * (interleaved + layout.stride[1] + layout.stride[2]);
        EXPECT_LE(high + interleaved, layout.size);
      }
    }
  }
}

TEST(FieldLayout, RefusesWhatCannotBe) {
  EXPECT_THROW(FieldLayout({1, 1, 1}, 1, 1, 8, heddle::Memory::host, 16), Error); // 128 bytes
  EXPECT_THROW(FieldLayout({1, 1, 1}, 1, 1, 8, heddle::Memory::host, 0), Error);
  EXPECT_THROW(FieldLayout({0, 1, 1}, 1, 1, 8), Error);
  EXPECT_THROW(FieldLayout({1, 1, 1}, 0, 1, 8), Error);
  EXPECT_THROW(FieldLayout({1, 1, 1}, 1, -1, 8), Error);
  EXPECT_THROW(FieldLayout({1, 1, 1}, 1, 1, 3), Error);
  const std::int64_t huge = std::int64_t{1} << 31;
  EXPECT_THROW(FieldLayout({huge, huge, 1}, 19, 1, 8), Error);
}

TEST(Field, RowsStartLinesAndGhostsAreApart) {
  Field<float> field(BlockGrid(Box{{0, 0, 0}, {13, 7, 5}}, {2, 1, 2}), {.components = 3, .ghost_layers = 2});
  for (int b = 0; b < field.blocks(); ++b) {
    const FieldView<float> view = field.view(b);
    std::set<const float*> seen;
    for (std::int64_t c = 0; c < 3; ++c) {
      for (std::int64_t z = -2; z < view.extent(2) + 2; ++z) {
        for (std::int64_t y = -2; y < view.extent(1) + 2; ++y) {
          EXPECT_EQ(address(&view(0, y, z, c)) % 64, 0U);
          for (std::int64_t x = -2; x < view.extent(0) + 2; ++x)
            seen.insert(&view(x, y, z, c));
        }
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()),
              3 * (view.extent(0) + 4) * (view.extent(1) + 4) * (view.extent(2) + 4));
  }
}

TEST(Field, FillsInDomainCoordinates) {
  const Box domain{{-3, 10, 2}, {8, 17, 7}};
  const auto value = [](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
    return static_cast<double>(x + 100 * y + 10000 * z + 1000000 * c);
  };
  for (const std::array<int, 3>& blocks : {std::array<int, 3>{1, 1, 1}, std::array<int, 3>{3, 2, 2}}) {
    const BlockGrid grid(domain, blocks);
    Field<double> field(grid, {.components = 2, .name = "u"});
    field.fill(-1.0);
    field.fill(value);
    for (int b = 0; b < field.blocks(); ++b) {
      const FieldView<const double> view = std::as_const(field).view(b);
      const Box& box = grid.block(b);
      for (int c = 0; c < 2; ++c) {
        const std::vector<double> values = field.read(b, c);
        std::size_t i = 0;
        for (std::int64_t z = 0; z < view.extent(2); ++z) {
          for (std::int64_t y = 0; y < view.extent(1); ++y) {
            for (std::int64_t x = 0; x < view.extent(0); ++x, ++i) {
              const double expected = value(x + box.lower[0], y + box.lower[1], z + box.lower[2], c);
              ASSERT_EQ(view(x, y, z, c), expected);
              ASSERT_EQ(values[i], expected);
            }
          }
        }
      }
      EXPECT_EQ(view(-1, 0, 0), -1.0); // fill(f) leaves ghosts
      EXPECT_EQ(view(view.extent(0), view.extent(1), view.extent(2), 1), -1.0);
    }
  }
}

TEST(Field, PoisonsGhostsOnly) {
  Field<double> field(BlockGrid(Box{{0, 0, 0}, {5, 4, 3}}), {.components = 2, .ghost_layers = {2, 1, 0}});
  field.fill(1.0);
  field.fill_ghosts(std::nan(""));
  const FieldView<double> view = field.view();
  for (int c = 0; c < 2; ++c) {
    for (std::int64_t z = 0; z < 3; ++z) {
      for (std::int64_t y = -1; y < 5; ++y) {
        for (std::int64_t x = -2; x < 7; ++x) {
          const bool inside = x >= 0 && x < 5 && y >= 0 && y < 4;
          EXPECT_EQ(std::isnan(view(x, y, z, c)), !inside) << x << " " << y << " " << z;
        }
      }
    }
  }
}

TEST(Field, CopiesAndWrites) {
  const BlockGrid grid(Box{{0, 0, 0}, {6, 5, 4}}, {2, 1, 1});
  Field<float> from(grid, {.components = 2, .name = "from"});
  Field<float> to(grid, {.components = 2, .name = "to"});
  from.fill(
      [](std::int64_t x, std::int64_t y, std::int64_t z, int c) { return x * 1000 + y * 100 + z * 10 + c; });
  to.copy_from(from);
  for (int c = 0; c < 2; ++c)
    EXPECT_EQ(to.read(1, c), from.read(1, c));
  std::vector<float> values = from.read(0, 1);
  values[7] = 42.0F;
  to.write(0, 1, values);
  EXPECT_EQ(to.read(0, 1), values);
  EXPECT_EQ(to.read(0, 0), from.read(0, 0));
  EXPECT_THROW(to.write(0, 1, std::vector<float>(3)), Error);
  EXPECT_THROW((void)to.read(0, 2), Error);
  EXPECT_THROW(to.copy_from(Field<float>(grid, {.components = 3})), Error);
  EXPECT_THROW(to.copy_from(Field<float>(BlockGrid(grid.domain()), {.components = 2})), Error);
}

TEST(Field, InterleavedBlocksLieBetweenEachOther) {
  const BlockGrid grid(Box{{0, 0, 0}, {5, 4, 8}}, {1, 1, 4});
  const auto value = [](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
    return static_cast<float>(x + 10 * y + 100 * z + 1000 * c);
  };
  Field<float> vectors(grid, {.components = 2, .name = "vectors", .interleaved = 2});
  Field<float> plain(grid, {.components = 2, .name = "plain"});
  vectors.fill(value);
  plain.fill(value);
  for (int b = 0; b < 4; ++b) {
    EXPECT_EQ(vectors.read(b, 1), plain.read(b, 1));
    EXPECT_EQ(vectors.view(b).stride(0), 2);
    EXPECT_EQ(vectors.view(b).data() - vectors.view(b / 2 * 2).data(), b % 2);
  }
  vectors.fill_ghosts(-1.0F);
  EXPECT_EQ(vectors.view(1)(-1, 0, 0), -1.0F);
  EXPECT_EQ(vectors.view(1)(0, 0, 0), 200.0F);
  std::vector<float> other = vectors.read(3, 0);
  other[2] = 7.0F;
  vectors.write(3, 0, other);
  EXPECT_EQ(vectors.view(3)(2, 0, 0), 7.0F);
  EXPECT_EQ(vectors.view(2)(2, 0, 0), 402.0F);
  plain.fill(0.0F);
  plain.copy_from(vectors); // row by row, since the layouts differ
  EXPECT_EQ(plain.read(3, 0), other);
  EXPECT_EQ(plain.view(1)(-1, 0, 0), -1.0F);
  EXPECT_THROW(Field<float>(grid, {.interleaved = 3}), Error);
  EXPECT_THROW(Field<float>(BlockGrid(Box{{0, 0, 0}, {5, 4, 7}}, {1, 1, 2}), {.interleaved = 2}), Error);
}

TEST(Field, ComponentsOfACellMayFollowEachOther) {
  const BlockGrid grid(Box{{0, 0, 0}, {5, 4, 3}}, {1, 2, 1});
  Field<float> cells(grid, {.components = 4, .name = "cells", .cells_together = true});
  Field<float> plain(grid, {.components = 4, .name = "plain"});
  for (Field<float>* field : {&cells, &plain}) {
    field->fill([](std::int64_t x, std::int64_t y, std::int64_t z, int c) {
      return static_cast<float>(x + 10 * y + 100 * z + 1000 * c);
    });
    field->fill_ghosts(-1.0F);
  }
  EXPECT_EQ(cells.view().stride(0), 4);
  EXPECT_EQ(cells.view().stride(3), 1);
  EXPECT_EQ(&cells.view(1)(2, 1, 0, 3) - &cells.view(1)(2, 1, 0, 0), 3);
  EXPECT_EQ(cells.read(1, 3), plain.read(1, 3));
  plain.fill(0.0F);
  plain.copy_from(cells);
  EXPECT_EQ(plain.read(1, 3), cells.read(1, 3));
  EXPECT_EQ(plain.view()(-1, 0, 0, 2), -1.0F);
  EXPECT_THROW(Field<float>(grid, {.components = 3, .cells_together = true}), Error);
  EXPECT_THROW(Field<float>(grid, {.components = 2, .interleaved = 2, .cells_together = true}), Error);
}

TEST(FieldView, HasAnIndexPerAxisAndMayLackThatOfComponents) {
  using View = FieldView<double>;
  static_assert(!std::is_invocable_v<View, int, int> && std::is_invocable_v<View, int, int, int>);
  static_assert(std::is_invocable_v<View, int, int, int, int>);
  static_assert(!std::is_invocable_v<View, int, int, int, int, int>);
  static_assert(std::is_convertible_v<View, FieldView<const double>>);
  static_assert(!std::is_convertible_v<FieldView<const double>, View>);
  std::vector<double> values(128);
  for (std::size_t n = 0; n < values.size(); ++n)
    values[n] = static_cast<double>(n);
  const View view(values.data() + 33, {3, 2, 2, 2}, {1, 5, 20, 60}); // behind a ghost cell along each axis
  EXPECT_EQ(view(2, 1, 1, 1), 33 + 2 + 5 + 20 + 60);
  EXPECT_EQ(view(-1, -1, -1), 33 - 1 - 5 - 20);
  EXPECT_EQ(view.plane(1)(2, -1), 33 + 2 - 5 + 20);
  EXPECT_EQ(view.plane(1)(2, -1, 1), view(2, -1, 1, 1));
}

TEST(Field, PlaneIsAViewOfTwoDimensions) {
  Field<double> field(BlockGrid(Box{{0, 0, 0}, {6, 5, 1}}), {.components = 2, .ghost_layers = {1, 1, 0}});
  field.fill([](std::int64_t x, std::int64_t y, std::int64_t, int c) { return x + 10 * y + 100 * c; });
  const heddle::PlaneView<const double> plane = std::as_const(field).view().plane();
  EXPECT_EQ(plane.extent(0), 6);
  EXPECT_EQ(plane.extent(1), 5);
  EXPECT_EQ(plane.extent(2), 2);
  EXPECT_EQ(plane(3, 4, 1), 143.0);
}

TEST(Field, ValuesThatAreTheSameAlongAnAxisAreStoredOnce) {
  const BlockGrid grid(Box{{0, 0, 0}, {6, 5, 4}});
  Field<float> levels(grid, {.name = "levels", .same_along = 1});
  levels.fill(-1.0F);
  levels.fill([](std::int64_t x, std::int64_t, std::int64_t z, int) { return 10 * x + z; });
  const heddle::FieldView<const float> level = std::as_const(levels).view();
  EXPECT_EQ(level.extents(), (std::array<std::int64_t, 4>{6, 5, 4, 1}));
  EXPECT_EQ(level.stride(1), 0);
  EXPECT_EQ(&level(3, 0, 2), &level(3, 4, 2));
  EXPECT_EQ(level(3, 4, 2), 32);
  EXPECT_EQ(level(-1, 3, 2), -1);
  EXPECT_EQ(level(2, 3, 4), -1);

  Field<float> columns(grid, {.name = "columns", .same_along = 2});
  columns.fill([](std::int64_t x, std::int64_t y, std::int64_t, int) { return 10 * x + y; });
  columns.fill_ghosts(-1.0F);
  const std::vector<float> values = columns.read();
  ASSERT_EQ(values.size(), 120U);
  EXPECT_EQ(values[3 + 6 * (4 + 5 * 3)], 34);
  EXPECT_EQ(columns.view()(2, -1, 3), -1);
  EXPECT_EQ(columns.view().plane()(2, 3), 23);

  Field<float> rows(grid, {.name = "rows", .same_along = 0});
  rows.fill([](std::int64_t, std::int64_t y, std::int64_t z, int) { return 10 * y + z; });
  EXPECT_EQ(rows.view().stride(0), 0);
  EXPECT_EQ(rows.view().extent(0), 6);
  EXPECT_EQ(&rows.view()(0, 4, 3), &rows.view()(5, 4, 3));
  EXPECT_EQ(rows.read()[3 + 6 * (4 + 5 * 3)], 43);
  EXPECT_EQ(rows.view()(0, 5, 3), 0);
  // One value of each row, one after the other: no row has a line of its own.
  const Field<double> sums(BlockGrid(Box{{0, 0, 0}, {64, 64, 75}}),
                           {.components = 28, .ghost_layers = 0, .same_along = 0});
  EXPECT_EQ(sums.view().stride(1), 1);
  EXPECT_LT(sums.bytes(), 28U * 64 * 75 * sizeof(double) * 5 / 4);
  EXPECT_THROW(Field<float>(grid, {.same_along = 3}), Error);
}

} // namespace
