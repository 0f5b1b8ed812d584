// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/for_each.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/device/qualifiers.hpp"

namespace {

struct Square {
  std::int64_t* values;
  HEDDLE_HOST_DEVICE void operator()(std::int64_t i) const { values[i] += i * i; }
};

TEST(ForEach, VisitsEachIndexOnceOnTheHost) {
  heddle::Stream stream(heddle::Memory::host);
  for (const std::int64_t count : {0, 1, 255, 256, 1000}) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count + 1), 7);
    heddle::for_each(count, heddle::Memory::host, stream, Square{values.data()});
    heddle::for_each(count, heddle::Memory::pinned, stream, Square{values.data()}, 1);
    for (std::int64_t i = 0; i < count; ++i)
      ASSERT_EQ(values[static_cast<std::size_t>(i)], 7 + 2 * i * i);
    EXPECT_EQ(values.back(), 7); // not beyond the end
  }
}

TEST(ForEach, RefusesDevicesWhereItsFileIsNotCuda) {
  heddle::Stream stream(heddle::Memory::host);
  EXPECT_THROW(heddle::for_each(1, heddle::Memory::device, stream, Square{nullptr}), heddle::Error);
}

} // namespace
