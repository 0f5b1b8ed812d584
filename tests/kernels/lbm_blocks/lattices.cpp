// SPDX-License-Identifier: Apache-2.0
// Other lattices on any number of ranks equal one block bit for bit: D3Q27, of which populations cross
// corners, too, and D2Q9 in one layer of cells.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "../../support/numbers_of_ranks.hpp"
#include "blocks.hpp"
#include "blocks_d2q9_sweeps.hpp"
#include "blocks_d3q27_sweeps.hpp"
#include "on_ranks.hpp"
#include "peers.hpp"

namespace {

using blocks::periodic;

template <class T> class OtherLattices : public testing::Test {};
using Precisions = testing::Types<double, float, std::uint16_t>;
TYPED_TEST_SUITE(OtherLattices, Precisions);

template <class T> blocks::Pattern<T> d3q27() {
  using namespace blocks_d3q27;
  using Aa = blocks::InPlace<T, AaEven<T>, AaOdd<T>, 27>;
  return blocks::pattern<T, Aa>("D3Q27 AA", periodic, blocks::Walls<T>{}, blocks::Walls<T>{});
}

template <class T> blocks::Pattern<T> d2q9() {
  auto pull = blocks::pattern<T, blocks::TwoArrays<T, blocks_d2q9::Pull<T>, 9>>("D2Q9 pull", periodic);
  pull.cells = {{0, 0, 0}, {19, 10, 1}};
  return pull;
}

TYPED_TEST(OtherLattices, OnAnyNumberOfRanksEqualOneBlock) {
  for (const blocks::Pattern<TypeParam>& pattern : {d3q27<TypeParam>(), d2q9<TypeParam>()}) {
    const blocks::Outcome<TypeParam> whole = blocks::alone(pattern, periodic);
    const std::array<int, 3> cut = pattern.cells.extent(2) == 1 ? std::array{9, 3, 1} : std::array{3, 3, 3};
    for (const int ranks : test::numbers_of_ranks()) {
      const heddle::BlockGrid grid(pattern.cells, cut, periodic, ranks);
      blocks::expect_equal(pattern, whole, grid, {}, "ghost cells NaN before each step");
      if (ranks % 9 == 2)
        blocks::expect_equal(pattern, whole, grid, {{.overlap = false, .unroll = 2}, false}, "in turn");
      if (ranks % 9 == 4) blocks::expect_equal(pattern, whole, grid, {{.unroll = 2}, false}, "overlapping");
    }
    for (const bool stores : {false, true})
      EXPECT_EQ(blocks::differences(pattern, whole.values, {8, cut, periodic, {.unroll = 2}, stores, 1}), 0)
          << pattern.name << (stores ? ", stores" : ", copies");
  }
}

} // namespace
