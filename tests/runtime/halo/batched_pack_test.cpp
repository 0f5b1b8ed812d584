// SPDX-License-Identifier: Apache-2.0
#include "halo/batched_pack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

namespace {

using heddle::cells_between;
using Place = heddle::DenseExchange::Place;
using Cells = std::optional<std::array<std::int32_t, 2>>;

TEST(BatchedPack, CellsBetweenBlocksLeadFromOneToTheOther) {
  const std::array<std::int64_t, 4> plain{1, 24, 240, 2400};
  const Place here{1U << 20U, plain};
  for (const std::int64_t values : {0, 5, 23, 24, 2400, 1'000'003, -1, -24, -5000}) {
    const Place there{here.first + static_cast<std::uintptr_t>(8 * values), plain};
    const Cells cells = cells_between(here, there, 8);
    ASSERT_TRUE(cells);
    EXPECT_EQ((*cells)[0] * plain[0] + (*cells)[1] * plain[1], values);
  }
}

TEST(BatchedPack, SomeBlocksAreNotReached) {
  const Place here{1U << 20U, {4, 96, 960, 9600}}; // four lanes of two bytes
  EXPECT_EQ(cells_between(here, {here.first + 8, here.stride}, 2), (Cells{{1, 0}}));
  EXPECT_FALSE(cells_between(here, {here.first + 2, here.stride}, 2));        // another lane
  EXPECT_FALSE(cells_between(here, {here.first + 8, {4, 96, 960, 9664}}, 2)); // other strides
  EXPECT_FALSE(cells_between(here, {here.first + (std::uintptr_t{192} << 30U), here.stride}, 2)); // too far
  const Place flat{1U << 20U, {1, 0, 24, 240}}; // the same along y
  EXPECT_FALSE(cells_between(flat, flat, 8));
}

} // namespace
