// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/size.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cmath>
#include <limits>

#include "../../support/messages.hpp"

namespace heddle {
namespace {

using test::contains;
using test::error_of;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

std::optional<std::int64_t> product(std::initializer_list<std::int64_t> factors) {
  return checked_product(std::vector<std::int64_t>(factors));
}

TEST(Size, ProductsAreExactOrNothing) {
  EXPECT_EQ(product({}), 1);
  EXPECT_EQ(product({7, 11, 13}), 1001);
  EXPECT_EQ(product({largest, 1}), largest);
  EXPECT_EQ(product({std::int64_t{1} << 31, std::int64_t{1} << 31}), std::int64_t{1} << 62);
  EXPECT_EQ(product({std::int64_t{1} << 32, std::int64_t{1} << 31}), std::nullopt);
  EXPECT_EQ(product({std::int64_t{1} << 32, std::int64_t{1} << 32}), std::nullopt); // 2^64 wraps to 0
  EXPECT_EQ(product({largest, largest, 0}), 0);
  EXPECT_EQ(product({3, -1}), std::nullopt);
  EXPECT_EQ(product({smallest, 0}), std::nullopt);
}

TEST(Size, DifferencesAreExactOrNothing) {
  EXPECT_EQ(checked_difference(-3, 5), 8);
  EXPECT_EQ(checked_difference(0, smallest), smallest);
  EXPECT_EQ(checked_difference(smallest, -1), largest);
  EXPECT_EQ(checked_difference(smallest, 5), std::nullopt);
  EXPECT_EQ(checked_difference(1, smallest), std::nullopt);
  EXPECT_EQ(checked_difference(-1, largest), std::nullopt);
}

TEST(Size, CountsStopAtTheEndsOfTheirType) {
  EXPECT_EQ(nearest_count(2.5), 3);
  EXPECT_EQ(nearest_count(-2.4), -2);
  EXPECT_EQ(nearest_count(1e300), largest);
  EXPECT_EQ(nearest_count(-HUGE_VAL), smallest);
  EXPECT_EQ(nearest_count(std::nan("")), 0);
}

TEST(Size, WhatIsTooLargeSaysWhatItAnnouncesNeedsAndMayHave) {
  const auto announced = [](std::vector<std::int64_t> extents, std::int64_t bytes_each) {
    return Announced{"file 'a'", "values", std::move(extents), bytes_each};
  };
  EXPECT_EQ(require_size(announced({1000, 1000}, 8), 8e6, "shrink it"), 1'000'000);
  EXPECT_EQ(
      error_of([&] { (void)require_size(announced({1000, 1001}, 8), 8e6, "shrink it"); }),
      "file 'a': 1000 x 1001 values would need 8.01 MB of memory, and the limit is 8 MB. Hint: shrink it");
  const std::int64_t wide = std::int64_t{1} << 32; // 2^64 values, which wrap to none
  EXPECT_TRUE(contains(error_of([&] { (void)require_size(announced({wide, wide}, 1), 1e30, ""); }),
                       "4294967296 x 4294967296 values would need 18.4 EB"));
  EXPECT_TRUE(contains(error_of([&] { (void)require_size(announced({4, -4}, 1), 1e9, ""); }),
                       "4 x -4 values: an extent is negative"));
}

class MemoryLimit : public testing::Test {
protected:
  ~MemoryLimit() override { unsetenv("HEDDLE_MEMORY_LIMIT"); }
};

TEST_F(MemoryLimit, IsTheMachinesOrTheUsers) {
  unsetenv("HEDDLE_MEMORY_LIMIT");
  const double machine = memory_limit();
  EXPECT_GT(machine, 1e8);
  EXPECT_EQ(input_limit(1000), std::min(machine, 1.5e9));
  EXPECT_EQ(input_limit(1e9), std::min(machine, 64e9));
  setenv("HEDDLE_MEMORY_LIMIT", "0.25", 1);
  EXPECT_EQ(memory_limit(), 2.5e8);
  EXPECT_EQ(input_limit(1e9), 2.5e8);
  for (const char* const wrong : {"0", "-1", "much", "inf", "nan", "1 GB"}) {
    setenv("HEDDLE_MEMORY_LIMIT", wrong, 1);
    EXPECT_TRUE(contains(error_of([] { (void)memory_limit(); }), "is not a positive number of GB")) << wrong;
  }
}

} // namespace
} // namespace heddle
