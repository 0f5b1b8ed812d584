// SPDX-License-Identifier: Apache-2.0
// Whatever happens while a checkpoint is written - a full disk, a kill, lost messages - there is the old one
// or the new one.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "../../support/checkpointed_run.hpp"
#include "../../support/fault_injector.hpp"
#include "../../support/full_disk.hpp"
#include "../../support/full_speed.hpp"

namespace {

using namespace checkpointed;
using namespace std::chrono_literals;

TEST_F(CheckpointTest, AFullDiskLosesNothing) {
  write(3, {3, 1, 1}, {10});
  const std::map<std::string, std::string> before = contents();
  rlim_t largest = 0; // of the parts: the last limit lets the other ranks write theirs
  for (const auto& [file, content] : before)
    largest = std::max(largest, static_cast<rlim_t>(content.size()));
  ThreadGroup network(3);
  network.run([&](Transport& transport) {
    Simulation run(folder_, transport, {3, 1, 1});
    EXPECT_EQ(run.checkpoint().read(), 10);
    run.set(20);
    for (const rlim_t limit : {rlim_t{0}, rlim_t{1}, rlim_t{500}, rlim_t{8000}, largest - 1}) {
      // One limit for all threads: it is there before the first writes, and gone after the last has failed.
      static std::unique_ptr<FileLimit> full;
      static std::atomic<int> waiting = 0;
      const auto together = [&](const std::function<void()>& work) {
        static std::atomic<int> turn = 0;
        const int now = turn;
        if (++waiting == 3) {
          work();
          waiting = 0;
          ++turn;
        }
        while (turn == now)
          std::this_thread::yield();
      };
      together([&] { full = std::make_unique<FileLimit>(limit); });
      const std::string error = failure([&] { run.checkpoint().write(20); });
      EXPECT_NE(error.find("rank "), std::string::npos) << limit << error;
      EXPECT_NE(error.find("earlier output is unchanged"), std::string::npos) << limit << error;
      together([&] {
        full.reset();
        EXPECT_TRUE(contents() == before) << limit;
      });
    }
    run.checkpoint().write(20); // there is room again
  });
  EXPECT_EQ(read(2, {1, 2, 1}), 20);
}

/// Runs `work` in a process of its own, which kills itself when the checkpoint is about to do thing `number`.
/// False when it got to its end.
bool killed_at(int number, const std::function<void(const CheckpointOptions&)>& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> left = number;
    work({.watch = [&](std::string_view) {
      if (left-- == 0) kill(getpid(), SIGKILL);
    }});
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

TEST_F(CheckpointTest, AKillAtAnyMomentLosesNothing) {
  write(3, {3, 1, 1}, {10, 20});
  int moments = 0;
  int replaced = 0;
  for (;; ++moments) {
    ASSERT_LT(moments, 100);
    const bool killed = killed_at(moments, [&](const CheckpointOptions& options) {
      ThreadGroup network(3);
      network.run([&](Transport& transport) {
        Simulation run(folder_, transport, {3, 1, 1}, options);
        run.checkpoint().read(20);
        run.set(30);
        run.checkpoint().write(30);
      });
    });
    const std::int64_t step = read(2, {2, 1, 1});
    EXPECT_TRUE(step == 20 || step == 30) << moments << ": " << step;
    if (!killed) {
      EXPECT_EQ(step, 30);
      break;
    }
    replaced += step == 30 ? 1 : 0;
    if (step == 30) { // back to the start
      fs::remove_all(folder_);
      write(3, {3, 1, 1}, {10, 20});
    }
  }
  EXPECT_GT(moments, 15);
  EXPECT_GT(replaced, 2);
  EXPECT_LT(replaced, moments / 2);
}

TEST_F(CheckpointTest, WhatAKilledRunLeftIsRemovedByTheNext) {
  write(3, {3, 1, 1}, {10, 20});
  const auto go_on = [&](const CheckpointOptions& options) {
    ThreadGroup network(3);
    network.run([&](Transport& transport) {
      Simulation run(folder_, transport, {3, 1, 1}, options);
      run.checkpoint().read(20);
      run.set(30);
      run.checkpoint().write(30);
    });
  };
  EXPECT_TRUE(killed_at(14, go_on));
  EXPECT_GT(files().size(), 8U);
  go_on({});
  EXPECT_EQ(files().size(), 8U);
}

TEST_F(CheckpointTest, RanksThatDoNotShareTheFolderAreRefused) {
  const std::array<fs::path, 2> places{folder_ / "node0", folder_ / "node1"};
  ThreadGroup network(2);
  network.run([&](Transport& transport) {
    Simulation run(places[static_cast<std::size_t>(transport.rank())], transport, {2, 1, 1});
    fs::create_directory(places[1]);
    run.set(20);
    const std::string error = failure([&] { run.checkpoint().write(20); });
    EXPECT_NE(error.find("run_00000020.0.1.part was written, but rank 0 finds no such file"),
              std::string::npos)
        << error;
    EXPECT_NE(error.find("give all ranks the same folder"), std::string::npos) << error;
  });
  for (const fs::path& place : places)
    EXPECT_TRUE(fs::is_empty(place)) << place; // no manifest, and nothing that nobody would remove
}

TEST_F(CheckpointTest, FaultsOfTheNetworkLoseNothing) {
  write(4, {2, 2, 1}, {10});
  const int seeds = test::full_speed ? 24 : 12;
  int failed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const std::int64_t step = 10 + seed;
    const double rate = seed % 2 == 0 ? 0.002 : 0.01;
    test::FaultyThreads network(4, {static_cast<std::uint64_t>(seed), rate, 0.1, 0.2, rate, rate, rate, 1ms},
                                150ms);
    const std::string error = failure([&] {
      network.run([&](Transport& transport) {
        Simulation run(folder_, transport, {2, 2, 1});
        const std::int64_t before = run.checkpoint().read();
        EXPECT_EQ(run.wrong(before), 0);
        run.set(step);
        run.checkpoint().write(step);
      });
    });
    failed += error.empty() ? 0 : 1;
    const std::int64_t found = read(1, {1, 1, 1});
    EXPECT_TRUE(found >= 10 && (error.empty() ? found == step : found <= step)) << found << error;
  }
  EXPECT_GT(failed, 5 * seeds / 24);
  EXPECT_LT(failed, seeds);
}

} // namespace
