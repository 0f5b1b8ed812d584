// SPDX-License-Identifier: Apache-2.0
// Steps on a device go on without the host, which does not wait between them, nor allocate: what is allocated
// is zeroed, which is a wait. On a GPU (test_column_physics_device), and on streams that are threads
// (test_column_physics_streams), where kernels run at once and nothing is asked of their results.
#include <gtest/gtest.h>

#include <cstdio>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/core/with_cuda.hpp"
#include "small_domain.hpp"

namespace front {
namespace {

constexpr double most_launches = 40; // of a step

class Waits : public testing::TestWithParam<std::int64_t> {};

TEST_P(Waits, TheHostDoesNotWaitWithinSteps) {
  Options options = test::small_options();
  options.gpu = true;
  options.radiation_every = GetParam();
  test::Run run(options);
  std::int64_t at = 0;
  const auto waits = [&](std::int64_t steps) {
    const std::int64_t before = heddle::host_waits();
    run.solver.step(at, steps);
    at += steps;
    return heddle::host_waits() - before;
  };
  static_cast<void>(waits(60));
  static_cast<void>(waits(60)); // all that is recorded has been
  const std::int64_t few = waits(60);
  EXPECT_EQ(waits(300), few);
  if constexpr (heddle::with_cuda) {
    EXPECT_GT(run.solver.launches(), 5);
    EXPECT_LE(run.solver.launches(), most_launches);
    std::printf("%.1f launches a step, %lld waits of the host in 300 steps\n", run.solver.launches(),
                static_cast<long long>(few));
  }
  run.solver.finish();
}

INSTANTIATE_TEST_SUITE_P(RadiationEvery, Waits, testing::Values(0, 30), testing::PrintToStringParamName());

} // namespace
} // namespace front
