// SPDX-License-Identifier: Apache-2.0
// Messages between lists are lost and harmed at random, in both directions, while interiors are computed and
// not: each run ends in the bits of one list, or in an error that says where.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fault_schedules.hpp"
#include "lists.hpp"

namespace {

TEST(ListFaults, OfEveryScheduleAreDetectedOrHarmless) {
  const lists::Medium porous(0.4);
  const std::vector<lists::Method>& methods = lists::methods();
  std::vector<std::vector<double>> expected;
  for (const lists::Method& method : methods)
    expected.push_back(lists::alone(method, porous));
  test::FaultSchedules schedules;
  const std::uint64_t count =
      test::fault_schedules(5 * methods.size()); // each pattern with each kind of fault
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const std::size_t which = seed / 5 % methods.size();
    const int ranks = 2 + static_cast<int>(seed % 3);
    const lists::How how{{.overlap = seed % 2 == 0, .unroll = 1 + static_cast<int>(seed / 2 % 2)}, false};
    schedules.run(seed, ranks, methods[which].name, [&](heddle::Transport& transport) {
      return lists::differences(methods[which], porous, expected[which], lists::cut(ranks), transport, how);
    });
  }
  schedules.expect_all_kinds();
}

} // namespace
