// SPDX-License-Identifier: Apache-2.0
#include "transport/waiting.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "heddle/transport/job.hpp"

namespace {

using namespace std::chrono_literals;
using testing::ExitedWithCode;

heddle::Error late() {
  return {"here", "rank 0 waited for rank 1", "wait longer"};
}

/// A call that takes far longer than its limit.
void blocked() {
  const heddle::Watchdog limit(50ms, late);
  std::this_thread::sleep_for(5s);
}

TEST(WatchdogDeathTest, EndsAProgramThatIsBlocked) {
  EXPECT_EXIT(blocked(), ExitedWithCode(1),
              "^the program ends: here: rank 0 waited for rank 1. Hint: wait longer\n$");
}

TEST(WatchdogDeathTest, EndsAllRanksWhereThatIsKnown) {
  const auto with_ranks = [] {
    heddle::set_job_abort([](const std::string& why) {
      if (why == late().what()) std::_Exit(3);
    });
    blocked();
  };
  EXPECT_EXIT(with_ranks(), ExitedWithCode(3), "^$");
}

TEST(Watchdog, LetsACallThatReturnsBe) {
  const auto began = std::chrono::steady_clock::now();
  for (int call = 0; call < 100; ++call)
    const heddle::Watchdog limit(1min, late);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 30s); // none waited for its limit
  {
    const heddle::Watchdog limit(50ms, late);
  }
  std::this_thread::sleep_for(100ms);
}

} // namespace
