// SPDX-License-Identifier: Apache-2.0
// Steps on a device go on without the host, which does not wait between them, nor allocate or copy. On a GPU
// (test_column_physics_device), and on streams that are threads (test_column_physics_streams), where kernels
// run at once and nothing is asked of their results.
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
  const heddle::MemoryCounts start = heddle::memory_counts();
  static_cast<void>(waits(60));
  static_cast<void>(waits(60)); // all that is recorded has been; a recorded copy counts there, and once
  const heddle::MemoryCounts first = heddle::memory_counts() - start;
  EXPECT_EQ(first.uploads, 1); // the clock, before the first step
  EXPECT_EQ(first.downloads, 0);
  const std::int64_t few = waits(60);
  const heddle::MemoryCounts before = heddle::memory_counts();
  EXPECT_EQ(waits(300), few);
  EXPECT_EQ(heddle::memory_counts() - before, heddle::MemoryCounts()); // nothing is allocated or crosses
  if constexpr (heddle::with_cuda) {
    EXPECT_GT(run.solver.launches(), 5);
    EXPECT_LE(run.solver.launches(), most_launches);
    std::printf("%.1f launches a step, %lld waits of the host in 300 steps\n", run.solver.launches(),
                static_cast<long long>(few));
  }
  run.solver.finish();
}

TEST(Steps, AllocateNothingOnTheHost) {
  test::Run run(test::small_options()); // whose radiation lags
  run.solver.step(0, 6);
  const heddle::MemoryCounts before = heddle::memory_counts();
  run.solver.step(6, 30);
  EXPECT_EQ(heddle::memory_counts() - before, heddle::MemoryCounts());
  run.solver.finish();
}

/// What a check reads, and nothing else: tracers and mass fluxes, into memory that was allocated at the
/// start.
TEST(Transfers, ACheckTakesWhatItReads) {
  Options options = test::small_options();
  options.gpu = true;
  options.tracers = 7; // two groups
  test::Run run(options);
  run.solver.step(0, 3);
  const Air& air = run.solver.parts().at(0)->air();
  const heddle::MemoryCounts before = heddle::memory_counts();
  EXPECT_GT(run.solver.check(3).courant, 0.01);
  const heddle::MemoryCounts counts = heddle::memory_counts() - before;
  EXPECT_EQ(counts.allocations, 0);
  EXPECT_EQ(counts.downloads, 5);
  const std::size_t bytes = 2 * air.q.bytes() + air.ru.bytes() + air.rv.bytes() + air.om.bytes();
  EXPECT_EQ(counts.downloaded_bytes, static_cast<std::int64_t>(bytes));
  EXPECT_EQ(run.solver.transfers().copies().size(), 5U);
  run.solver.finish();
}

INSTANTIATE_TEST_SUITE_P(RadiationEvery, Waits, testing::Values(0, 30), testing::PrintToStringParamName());

} // namespace
} // namespace front
