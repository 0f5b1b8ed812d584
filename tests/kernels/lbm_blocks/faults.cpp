// SPDX-License-Identifier: Apache-2.0
// Messages of whole loops are lost and harmed at random, in both directions, of single values and whole
// vectors, while interiors are computed and not: each run ends in the bits of one block, or in an error that
// says where.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "blocks.hpp"
#include "fault_schedules.hpp"

namespace {

template <class T> class Faults : public testing::Test {};
using Precisions = testing::Types<double, float, std::uint16_t>;
TYPED_TEST_SUITE(Faults, Precisions);

TYPED_TEST(Faults, OfEveryScheduleAreDetectedOrHarmless) {
  const std::vector<blocks::Pattern<TypeParam>>& patterns = blocks::patterns<TypeParam>();
  std::vector<blocks::Outcome<TypeParam>> expected;
  for (const blocks::Pattern<TypeParam>& pattern : patterns)
    expected.push_back(blocks::alone(pattern, pattern.walled));
  test::FaultSchedules schedules;
  const std::uint64_t count = test::fault_schedules(60);
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const std::size_t which = seed / 5 % patterns.size();
    const bool vectors = seed % 3 == 0;
    const blocks::FieldsAre so({.interleaved = vectors ? 4 : 1});
    const int ranks = vectors ? 3 : 2 + static_cast<int>(seed % 4);
    const std::array<int, 3> cut = vectors ? std::array{1, 4, 3} : std::array{2, 2, 2};
    const blocks::How how{{.overlap = seed % 2 == 0, .unroll = 1 + static_cast<int>(seed / 2 % 2)}, false};
    schedules.run(seed, ranks, patterns[which].name, [&](heddle::Transport& transport) {
      const heddle::BlockGrid grid(blocks::domain, cut, patterns[which].walled, ranks);
      return blocks::differences(patterns[which], expected[which], grid, transport, how);
    });
  }
  schedules.expect_all_kinds();
}

} // namespace
