// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../../support/messages.hpp"
#include "heddle/core/device_scope.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"

namespace {

using heddle::Environment;
using test::contains;
using test::error_of;

TEST(Environment, DescribesWhatItFound) {
  const Environment environment;
  const std::string text = environment.describe();
  for (const char* part : {"processor: ", "threads: ", "memory: ", "device"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(Environment, ChoosesThreadsAndPutsThemBack) {
  const int before = heddle::thread_count();
  try {
    const Environment environment({.threads = before + 2});
    EXPECT_EQ(heddle::thread_count(), before + 2);
  } catch (const heddle::Error& error) {
    EXPECT_NE(std::string(error.what()).find("without OpenMP"), std::string::npos);
  }
  EXPECT_EQ(heddle::thread_count(), before);
}

TEST(Environment, RefusesWhatIsNotThere) {
  EXPECT_THROW(Environment({.threads = -1}), heddle::Error);
  EXPECT_THROW(Environment({.device = 4096}), heddle::Error);
}

TEST(Environment, RefusesMoreThreadsThanMakeSense) {
  // Threads that wait for each other in each loop: on two processors, 4096 of them do not end within minutes.
  const auto processors = static_cast<int>(std::thread::hardware_concurrency());
  const int most = std::max(64, 8 * processors);
  EXPECT_EQ(heddle::most_threads(), most);
  for (const int threads : {most + 1, std::max(4096, 9 * processors), std::numeric_limits<int>::max()}) {
    const std::string message = error_of([&] { Environment({.threads = threads}); });
    EXPECT_TRUE(contains(message, std::to_string(threads) + " threads on " + std::to_string(processors) +
                                      " processors would wait for each other"))
        << message;
    EXPECT_TRUE(contains(message, "use at most " + std::to_string(most))) << message;
  }
}

TEST(Environment, RefusesFetchesOfOtherSizes) {
  for (const int bytes : {-32, 1, 48, 256}) {
    const std::string message = error_of([&] { Environment({.fetch_bytes = bytes}); });
    EXPECT_TRUE(contains(message, "fetch_bytes = " + std::to_string(bytes) + " is not supported")) << message;
    EXPECT_TRUE(contains(message, "32, 64 or 128")) << message;
  }
}

TEST(Environment, RefusesFetchesWithoutADevice) {
  if (heddle::device_count() > 0) GTEST_SKIP() << "there is a device";
  const std::string message = error_of([] { Environment({.fetch_bytes = 128}); });
  EXPECT_TRUE(contains(message, "needs a device, but there is none")) << message;
}

TEST(ParallelRanges, CoverEachIndexOnce) {
  for (const std::int64_t count : {0, 1, 2, 3, 7, 1000}) {
    std::vector<std::atomic<int>> touched(static_cast<std::size_t>(count));
    heddle::parallel_ranges(count, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        ++touched[static_cast<std::size_t>(i)];
    });
    for (const std::atomic<int>& times : touched)
      ASSERT_EQ(times, 1);
  }
}

TEST(ParallelRanges, RethrowAnException) {
  const auto fail = [](std::int64_t, std::int64_t) { throw std::runtime_error("no"); };
  EXPECT_THROW(heddle::parallel_ranges(100, fail), std::runtime_error);
}

} // namespace
