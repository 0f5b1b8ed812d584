// SPDX-License-Identifier: Apache-2.0
// Planes of columns: sweeps over blocks give what a loop over the columns of the domain gives, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../support/noise.hpp"
#include "columns_in_strips_sweeps.hpp"
#include "columns_sweeps.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "rows_of_columns_sweeps.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Field;

constexpr std::int64_t n_x = 13, n_y = 6, n_z = 5;

BlockGrid grid(std::int64_t levels, const std::array<int, 3>& blocks) {
  return BlockGrid({{0, 0, 0}, {n_x, n_y, levels}}, blocks);
}

double mu_at(std::int64_t x, std::int64_t y) {
  return test::noise(x + 1 + 100 * (y + 1));
}
double water_at(std::int64_t x, std::int64_t y, std::int64_t z) {
  return test::noise(x + n_x * (y + n_y * z));
}

/// The fields of a domain. Planes are constant along z, or lie on a grid of their own with one level.
template <class T> struct Domain {
  Domain(const std::array<int, 3>& blocks, bool one_level)
      : water(grid(n_z, blocks), {.ghost_layers = 0, .name = "water"}),
        mu(grid(one_level ? 1 : n_z, blocks), {.name = "mu", .same_along = one_level ? -1 : 2}),
        rain(grid(one_level ? 1 : n_z, blocks), {.name = "rain", .same_along = one_level ? -1 : 2}),
        most(grid(one_level ? 1 : n_z, blocks), {.name = "most", .same_along = one_level ? -1 : 2}) {
    water.fill([](auto x, auto y, auto z, int) { return water_at(x, y, z); });
    rain.fill([](auto x, auto y, auto, int) { return test::noise(x * y); });
    for (int block = 0; block < mu.blocks(); ++block) {
      const auto view = mu.view(block);
      const auto& first = mu.box(block).lower;
      for (std::int64_t y = -1; y <= view.extent(1); ++y)
        for (std::int64_t x = -1; x <= view.extent(0); ++x)
          view(x, y, 0) = static_cast<T>(mu_at(x + first[0], y + first[1]));
    }
  }

  Field<T> water, mu, rain, most;
};

/// All values of a field, x fastest, whatever its blocks are. levels: of a plane, 1.
template <class T> std::vector<T> values(const Field<T>& field, std::int64_t levels) {
  std::vector<T> found(static_cast<std::size_t>(n_x * n_y * levels));
  for (int block = 0; block < field.blocks(); ++block) {
    const auto view = field.view(block);
    const auto& first = field.box(block).lower;
    for (std::int64_t z = 0; z < levels; ++z)
      for (std::int64_t y = 0; y < view.extent(1); ++y)
        for (std::int64_t x = 0; x < view.extent(0); ++x)
          found[static_cast<std::size_t>(x + first[0] + n_x * (y + first[1] + n_y * z))] = view(x, y, z);
  }
  return found;
}

template <class T> class Columns : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Columns, Precisions);

TYPED_TEST(Columns, AreTheLoopsThatTheModelSays) {
  using T = TypeParam;
  const Domain<T> start({1, 1, 1}, true);
  std::vector<T> water = values(start.water, n_z), rain = values(start.rain, 1), most(rain.size());
  for (std::int64_t y = 0; y < n_y; ++y) {
    for (std::int64_t x = 0; x < n_x; ++x) {
      const auto column = static_cast<std::size_t>(x + n_x * y);
      const auto mu = [&](std::int64_t dx, std::int64_t dy) { return static_cast<T>(mu_at(x + dx, y + dy)); };
      const auto at = [&](std::int64_t z) -> T& {
        return water[column + static_cast<std::size_t>(n_x * n_y * z)];
      };
      const T speed = mu(0, 0) * (mu(1, 0) - mu(0, -1));
      T above = 0, high = speed;
      for (std::int64_t z = n_z - 1; z >= 0; --z) {
        const T fallen = at(z) * speed;
        at(z) = at(z) - fallen;
        above = above / 2 + fallen;
        high = std::max(high, at(z));
      }
      rain[column] += above;
      T below = above;
      for (std::int64_t z = 0; z < n_z; ++z) {
        at(z) += below;
        below /= 2;
      }
      most[column] = high - below;
    }
  }
  for (const bool one_level : {true, false})
    for (const std::array<int, 3>& blocks : {std::array<int, 3>{1, 1, 1}, {3, 2, 1}})
      for (const bool strips : {false, true}) {
        Domain<T> domain(blocks, one_level);
        heddle::Stream stream;
        if (strips)
          columns_in_strips::Step<T>(domain.mu, domain.water, domain.rain, domain.most)(stream);
        else
          columns::Fall<T>(domain.mu, domain.water, domain.rain, domain.most)(stream);
        EXPECT_EQ(values(domain.water, n_z), water) << blocks[0] << strips << one_level;
        EXPECT_EQ(values(domain.rain, 1), rain) << blocks[0] << strips << one_level;
        EXPECT_EQ(values(domain.most, 1), most) << blocks[0] << strips << one_level;
      }
}

TYPED_TEST(Columns, MeltAtTheirHighestLevel) {
  using T = TypeParam;
  const Domain<T> start({1, 1, 1}, true);
  std::vector<T> water = values(start.water, n_z), rain = values(start.rain, 1);
  int melted = 0;
  for (std::int64_t column = 0; column < n_x * n_y; ++column) {
    const T mu = static_cast<T>(mu_at(column % n_x, column / n_x));
    const auto at = [&](std::int64_t z) { return static_cast<std::size_t>(column + n_x * n_y * z); };
    std::int64_t top = n_z - 1;
    while (top >= 0 && !(water[at(top)] > mu))
      --top;
    if (top < 0) continue;
    T left = water[at(top)], halves = 0;
    while (halves < 5 && left > std::abs(mu)) {
      left /= 2;
      ++halves;
    }
    rain[at(0)] += halves;
    water[at(top)] = left;
    melted += halves > 0 ? 1 : 0;
  }
  EXPECT_GT(melted, 0);
  for (const std::array<int, 3>& blocks : {std::array<int, 3>{1, 1, 1}, {3, 2, 1}}) {
    Domain<T> domain(blocks, false);
    heddle::Stream stream;
    columns::Melt<T>(domain.mu, domain.water, domain.rain)(stream);
    EXPECT_EQ(values(domain.water, n_z), water);
    EXPECT_EQ(values(domain.rain, 1), rain);
  }
}

TYPED_TEST(Columns, ReadAPlaneInEachCell) {
  using T = TypeParam;
  const Domain<T> start({1, 1, 1}, true);
  std::vector<T> expected = values(start.water, n_z);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i) % (n_x * n_y);
    expected[i] *= static_cast<T>(mu_at(column % n_x, column / n_x));
  }
  for (const std::array<int, 3>& blocks : {std::array<int, 3>{1, 1, 1}, {2, 3, 1}}) {
    Domain<T> domain(blocks, false);
    heddle::Stream stream;
    columns::Scale<T>(domain.mu, domain.water)(stream);
    EXPECT_EQ(values(domain.water, n_z), expected);
  }
}

/// Values per row and level, and per row, for a kernel over cells of three dimensions.
template <class T> struct Rows {
  explicit Rows(const std::array<int, 3>& blocks, int same_along = 0)
      : weight(grid(n_z, blocks), {.name = "weight", .same_along = same_along}),
        flux(grid(n_z, blocks), {.name = "flux", .same_along = same_along}),
        through(grid(1, blocks), {.name = "through", .same_along = same_along}) {
    for (int block = 0; block < weight.blocks(); ++block) {
      const auto view = weight.view(block);
      for (std::int64_t z = 0; z <= n_z; ++z) // the upper face of the last level is a ghost cell
        for (std::int64_t y = 0; y < view.extent(1); ++y)
          view(0, y, z) = static_cast<T>(weight_at(y + weight.box(block).lower[1], z));
    }
  }
  static double weight_at(std::int64_t y, std::int64_t z) { return test::noise(7 * y + z + 3); }

  Field<T> weight, flux, through;
};

TYPED_TEST(Columns, SumTheirRows) {
  using T = TypeParam;
  const std::array<std::array<int, 3>, 2> cuts{{{1, 1, 1}, {1, 3, 1}}};
  for (const int same_along : {0, -1}) {
    for (const std::array<int, 3>& blocks : cuts) {
      Domain<T> domain(blocks, true);
      Rows<T> rows(blocks, same_along);
      heddle::Stream stream;
      rows_of_columns::Step<T>(domain.water, rows.weight, rows.flux, rows.through)(stream);
      const auto flux = values(rows.flux, n_z), through = values(rows.through, 1);
      for (std::int64_t y = 0; y < n_y; ++y) {
        std::array<double, n_x> crossed{};
        const auto sum = [&] { // 13 of a tile of 32 numbers, by halves; the other 19 are no numbers
          std::array<T, 16> halves{};
          for (std::size_t x = 0; x < n_x; ++x)
            halves[x] = static_cast<T>(crossed[x]);
          for (std::size_t half = 8; half > 0; half /= 2)
            for (std::size_t x = 0; x < half; ++x)
              halves[x] += halves[x + half];
          return halves[0];
        };
        for (std::int64_t z = 0; z < n_z; ++z) {
          const T weight = static_cast<T>(Rows<T>::weight_at(y, z + 1));
          const std::array<double, n_x> below = crossed;
          for (double& value : crossed)
            value = static_cast<T>(value) * weight;
          EXPECT_EQ(flux[static_cast<std::size_t>(n_x * (y + n_y * z))], sum()) << y << z << blocks[1];
          for (std::int64_t x = 0; x < n_x; ++x) {
            const auto i = static_cast<std::size_t>(x);
            crossed[i] = static_cast<T>(below[i]) + static_cast<T>(water_at(x, y, z));
          }
        }
        EXPECT_EQ(through[static_cast<std::size_t>(n_x * y)], sum()) << y << blocks[1];
      }
    }
  }
}

TEST(Columns, RefuseResultsOfRowsThatAreCut) {
  Domain<double> domain({2, 1, 1}, true);
  Rows<double> rows({2, 1, 1});
  try {
    static_cast<void>(rows_of_columns::Step<double>(domain.water, rows.weight, rows.flux, rows.through));
    FAIL();
  } catch (const heddle::Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "step: field 'flux' takes a result per row along x, but the grid has 2 blocks along "
              "x, which would each give their own. Hint: divide the grid along y and z alone");
  }
  Rows<double> bare({1, 1, 1});
  Field<double> no_ghosts(grid(n_z, {1, 1, 1}), {.ghost_layers = 0, .name = "weight"});
  Domain<double> whole({1, 1, 1}, true);
  EXPECT_THROW(rows_of_columns::Step<double>(whole.water, no_ghosts, bare.flux, bare.through), heddle::Error);
}

TEST(Columns, RefuseAFieldThatHasLevels) {
  Domain<double> domain({1, 1, 1}, true);
  Field<double> levels(grid(n_z, {1, 1, 1}), {.name = "mu"});
  try {
    static_cast<void>(columns::Fall<double>(levels, domain.water, domain.rain, domain.most));
    FAIL();
  } catch (const heddle::Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "fall: field 'mu' has 5 levels along z, but the kernel takes one value per "
              "column. Hint: construct it with {.same_along = 2}");
  }
}

TEST(Columns, RefuseAPlaneOfOtherExtents) {
  Domain<double> domain({1, 1, 1}, true);
  Field<double> narrow(BlockGrid(heddle::Box{{0, 0, 0}, {n_x - 1, n_y, 1}}), {.name = "rain"});
  EXPECT_THROW(columns::Fall<double>(domain.mu, domain.water, narrow, domain.most), heddle::Error);
  Field<double> bare(grid(1, {1, 1, 1}), {.ghost_layers = 0, .name = "mu"});
  EXPECT_THROW(columns::Fall<double>(bare, domain.water, domain.rain, domain.most), heddle::Error);
}

TEST(Columns, RefuseAPlaneInsideAnotherField) {
  Domain<double> domain({1, 1, 1}, true);
  const auto water = domain.water.view();
  const auto mu = domain.mu.view().plane();
  const auto most = domain.most.view().plane();
  EXPECT_THROW(columns::fall(mu, water, water.plane(2), most), heddle::PreconditionError);
}

} // namespace
