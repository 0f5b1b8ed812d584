// SPDX-License-Identifier: Apache-2.0
// How cells are shared out to lanes, threads and ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "chemistry/cell_order.hpp"
#include "chemistry/lending.hpp"
#include "heddle/chemistry/lane_use.hpp"
#include "heddle/transport/thread_group.hpp"

namespace heddle {
namespace {

std::vector<std::int64_t> scattered(std::size_t cells) {
  std::vector<std::int64_t> weights(cells);
  for (std::size_t n = 0; n < cells; ++n)
    weights[n] = static_cast<std::int64_t>(1 + (n * 7919) % 101);
  return weights;
}

TEST(ChemistrySharing, StripsHaveLikeCellsAndThreadsLikeWork) {
  for (const std::size_t cells : {0U, 5U, 8U, 1003U}) {
    const std::vector<std::int64_t> weights = scattered(cells);
    for (const int threads : {1, 3}) {
      const std::vector<std::int64_t> order = detail::cell_order(weights, threads);
      std::vector<std::int64_t> sorted = order;
      std::ranges::sort(sorted);
      for (std::size_t n = 0; n < cells; ++n)
        ASSERT_EQ(sorted[n], static_cast<std::int64_t>(n)); // each once
      ASSERT_EQ(order.size(), cells);
      if (cells < 1000) continue;
      // what a strip takes is its slowest cell; strips of the order as given take much longer
      const std::size_t strips = cells / 8;
      std::int64_t ordered = 0;
      std::int64_t given = 0;
      std::vector<std::int64_t> thread_work(static_cast<std::size_t>(threads));
      const std::size_t more = strips % thread_work.size();
      for (std::size_t s = 0; s < strips; ++s) {
        std::int64_t slowest = 0;
        std::int64_t slowest_given = 0;
        for (std::size_t lane = 0; lane < 8; ++lane) {
          slowest = std::max(slowest, weights[static_cast<std::size_t>(order[8 * s + lane])]);
          slowest_given = std::max(slowest_given, weights[8 * s + lane]);
        }
        ordered += slowest;
        given += slowest_given;
        const std::size_t chunk = strips / thread_work.size(); // of OpenMP's static schedule
        const std::size_t thread =
            s < more * (chunk + 1) ? s / (chunk + 1) : more + (s - more * (chunk + 1)) / chunk;
        thread_work[thread] += slowest;
      }
      EXPECT_LT(static_cast<double>(ordered), 0.62 * static_cast<double>(given));
      const auto [least, most] = std::ranges::minmax(thread_work);
      EXPECT_LE(most - least, 101);
    }
  }
}

TEST(ChemistrySharing, LanesWaitForTheSlowest) {
  LaneUse use;
  EXPECT_EQ(use.share(), 1);
  use.add(std::vector<std::int64_t>{3, 1, 2, 2, 5}, 2); // 3, 2, 5 rounds of two lanes
  EXPECT_EQ(use.attempts, 13);
  EXPECT_EQ(use.room, 20);
  LaneUse sorted;
  sorted.add(std::vector<std::int64_t>{5, 3, 2, 2, 1}, 2);
  sorted.add(use);
  EXPECT_EQ(sorted.room, 16 + 20);
  EXPECT_EQ(sorted.share(), 26.0 / 36);
}

TEST(ChemistrySharing, LoansEvenTheWorkOut) {
  const std::vector<double> work{10, 0, 2, 20, 8};
  std::vector<double> after = work;
  for (const detail::Loan& loan : detail::loans(work, 1.1)) {
    EXPECT_GT(loan.work, 0);
    after[static_cast<std::size_t>(loan.from)] -= loan.work;
    after[static_cast<std::size_t>(loan.to)] += loan.work;
  }
  for (const double w : after)
    EXPECT_NEAR(w, 8, 1e-12);
  EXPECT_TRUE(detail::loans(std::vector<double>{10, 9, 11}, 1.11).empty());
  EXPECT_FALSE(detail::loans(std::vector<double>{10, 9, 11}, 1.09).empty());
  EXPECT_TRUE(detail::loans(work, std::numeric_limits<double>::infinity()).empty());
  EXPECT_TRUE(detail::loans(std::vector<double>{0, 0}, 1).empty());
  EXPECT_TRUE(detail::loans({}, 1).empty());
}

TEST(ChemistrySharing, CellsTravelToOtherRanksAndBack) {
  ThreadGroup(3).run([](Transport& transport) {
    detail::Exchange exchange(&transport);
    const auto me = static_cast<std::size_t>(transport.rank());
    const std::vector<std::int64_t> weights(me == 1 ? 30U : me == 2 ? 3U : 0U, 2);
    exchange.decide(weights, 1.1);
    std::vector<double> leaving;
    for (const std::int64_t cell : exchange.lent())
      leaving.insert(leaving.end(), {static_cast<double>(transport.rank()), static_cast<double>(cell)});
    std::vector<double> arriving(static_cast<std::size_t>(exchange.borrowed()) * 2);
    exchange.send_cells(leaving, arriving, 2);
    EXPECT_EQ(exchange.lent().size(), me == 1 ? 19U : 0U);
    EXPECT_EQ(exchange.borrowed(), me == 0 ? 11 : me == 2 ? 8 : 0);
    std::vector<double> results;
    for (std::size_t n = 0; n < arriving.size(); n += 2) {
      EXPECT_EQ(arriving[n], 1);
      results.push_back(100 + arriving[n + 1]);
    }
    std::vector<double> back(exchange.lent().size());
    exchange.return_cells(results, back, 1);
    for (std::size_t n = 0; n < back.size(); ++n)
      EXPECT_EQ(back[n], 100 + static_cast<double>(exchange.lent()[n]));
  });
}

} // namespace
} // namespace heddle
