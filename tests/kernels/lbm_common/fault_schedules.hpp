// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_FAULT_SCHEDULES_HPP
#define HEDDLE_TESTS_FAULT_SCHEDULES_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <regex>
#include <set>
#include <string>

#include "../../support/fault_injector.hpp"
#include "../../support/noise.hpp"
#include "heddle/core/environment.hpp"
#include "heddle/core/error.hpp"
#include "heddle/transport/transport.hpp"

/// Whole programs on a network that harms messages: the same bits or an error that says where, and nothing
/// else.
namespace test {

/// How many schedules: HEDDLE_FAULT_SCHEDULES, or `few`, or ten times as many with HEDDLE_TESTS=full.
inline std::uint64_t fault_schedules(std::uint64_t few) {
  if (const char* const wanted = std::getenv("HEDDLE_FAULT_SCHEDULES")) return std::stoull(wanted);
  const char* const tests = std::getenv("HEDDLE_TESTS");
  return tests != nullptr && std::string(tests) == "full" ? 10 * few : few;
}

class FaultSchedules {
public:
  /// Runs program(transport), which counts wrong values, on so many ranks, with the faults of a seed: one of
  /// the four that lose or change messages, or all of them, on top of late ones and another order. `what` is
  /// for people.
  void run(std::uint64_t seed, int ranks, const std::string& what,
           const std::function<std::int64_t(heddle::Transport&)>& program) {
    using namespace std::chrono_literals;
    const auto number = static_cast<std::int64_t>(seed);
    const double rate = 0.02 * (1 + noise(7 * number)); // up to one of 25 messages
    const auto only = [&](std::uint64_t kind) {
      return seed % 5 == kind ? rate : seed % 5 == 4 ? 0.3 * rate : 0;
    };
    const Faults faults{seed, only(0), 0.1, 0.2, only(1), only(2), only(3), 2ms};
    // Where nothing is lost nobody waits so long, however busy the machine is.
    FaultyThreads network(ranks, faults, faults.drop > 0 ? 150ms : 60s);
    std::atomic<std::int64_t> wrong = 0;
    std::string error;
    const auto begin = std::chrono::steady_clock::now();
    try {
      network.run([&](heddle::Transport& transport) {
        const heddle::Environment one_thread({.threads = 1});
        wrong += program(transport);
      });
    } catch (const heddle::Error& caught) {
      error = caught.what();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 50s) << what << ", seed " << seed;
    sum_ += network.counts();
    if (error.empty()) {
      EXPECT_EQ(wrong, 0) << what << ", seed " << seed;
      ++harmless_;
      return;
    }
    ++detected_;
    // "rank 1, 'heat::step before', step 7: the message from rank 0 ..."; collectives count turns.
    static const std::regex form(
        R"((rank \d+, '([^']+)', step \d+: .*rank \d+)|(rank \d+, turn \d+: .*rank \d+))");
    std::smatch match;
    EXPECT_TRUE(std::regex_search(error, match, form)) << what << ", seed " << seed << ": " << error;
    if (!match.empty()) exchanges_.insert(match[2]);
  }

  /// The schedules were neither all harmless nor all detected; each kind of fault was at work, in exchanges
  /// from owners to ghost cells and back.
  void expect_all_kinds() const {
    EXPECT_GT(harmless_, (harmless_ + detected_) / 8);
    EXPECT_GT(detected_, (harmless_ + detected_) / 8);
    EXPECT_GT(sum_.dropped, 0);
    EXPECT_GT(sum_.delayed, 0);
    EXPECT_GT(sum_.reordered, 0);
    EXPECT_GT(sum_.duplicated, 0);
    EXPECT_GT(sum_.truncated, 0);
    EXPECT_GT(sum_.corrupted, 0);
    for (const char* const way : {" before", " after"}) {
      EXPECT_TRUE(
          std::ranges::any_of(exchanges_, [&](const std::string& name) { return name.ends_with(way); }))
          << "no fault found in an exchange" << way << " a step";
    }
  }

private:
  std::uint64_t harmless_ = 0;
  std::uint64_t detected_ = 0;
  FaultCounts sum_;
  std::set<std::string> exchanges_; // in which one was found
};

} // namespace test

#endif
