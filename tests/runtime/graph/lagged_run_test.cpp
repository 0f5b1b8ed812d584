// SPDX-License-Identifier: Apache-2.0
// Lagged tasks beside exchanges that are late or harmed, on several ranks, and over a checkpoint.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../../support/fault_injector.hpp"
#include "../../support/lagged_model.hpp"
#include "../../support/test_folder.hpp"
#include "heddle/core/error.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::Period;
using heddle::TaskGraphOptions;
using lagged_model::expected;
using lagged_model::in_kernel;
using lagged_model::Model;
using lagged_model::Values;
using namespace std::chrono_literals;

const auto cells = static_cast<std::size_t>(lagged_model::domain.volume());

TEST(LaggedRun, LateMessagesChangeNothing) {
  std::atomic<unsigned> calls = 0;
  in_kernel = [&] {
    if (calls++ % 7 == 0) std::this_thread::sleep_for(3ms);
  };
  for (const int ranks : {1, 2, 3}) {
    for (const heddle::Overlap overlap : {heddle::Overlap::on, heddle::Overlap::off}) {
      test::FaultyThreads network(
          ranks, {.seed = 5, .delay = 0.2, .reorder = 0.2, .longest_delay = std::chrono::milliseconds(2)});
      Values all(cells);
      network.run([&](heddle::Transport& transport) {
        Model model(transport, {6, 1, 1}, {.every = 3, .lag = 1}, {.overlap = overlap});
        model.loop.run(5);
        model.loop.run(15);
        model.gather(all); // other cells on each rank
      });
      EXPECT_EQ(all, expected(20, 3, 1)) << ranks;
      EXPECT_EQ(network.counts().delayed > 0, ranks > 1);
    }
  }
  in_kernel = nullptr;
}

TEST(LaggedRun, AHarmedMessageEndsTheRunWhileATaskIsUnderWay) {
  for (const test::Harm harm : {test::Harm::last_bit, test::Harm::dropped, test::Harm::truncated}) {
    // Iteration 5 comes while what iteration 3 has begun may still be under way.
    test::FaultyThreads network(3, {.strike = test::Strike{harm, 1, 5}}, 200ms);
    const auto run = [&] {
      network.run([&](heddle::Transport& transport) {
        Model model(transport, {6, 1, 1}, {.every = 3, .lag = 1}, {}, {.stamps = heddle::Stamps::checksums});
        model.loop.run(20);
      });
    };
    EXPECT_THROW(run(), heddle::Error) << test::to_string(harm);
  }
}

/// So many iterations, a checkpoint, and as many more on other ranks and blocks, with a new graph.
Values over_checkpoint(const std::filesystem::path& folder, std::int64_t before, std::int64_t after,
                       const Period& period) {
  const auto program = [&](const std::array<int, 3>& blocks, Values& all, std::int64_t steps, bool resume) {
    return [&, blocks, steps, resume](heddle::Transport& transport) {
      Model model(transport, blocks, period);
      heddle::Checkpoint checkpoint(folder, "run", transport);
      checkpoint.add(model.t());
      checkpoint.add(model.h());
      checkpoint.add(model.loop);
      if (resume) {
        EXPECT_EQ(checkpoint.read(), before);
        EXPECT_EQ(model.loop.iterations(), before);
      }
      model.loop.run(steps);
      if (!resume) checkpoint.write(before);
      model.gather(all);
    };
  };
  Values all(cells);
  heddle::ThreadGroup(2).run(program({4, 1, 1}, all, before, false));
  heddle::ThreadGroup(3).run(program({3, 1, 2}, all, after, true));
  return all;
}

TEST(LaggedRun, ACheckpointKeepsWhatIsToBePublished) {
  const test::Folder folder;
  for (const int lag : {0, 1}) {
    // Before and after the first trigger, with nothing under way (before iteration 3 has run), and with a
    // result that waits.
    for (const std::int64_t before : {0, 1, 3, 4, 5, 6, 7, 8}) {
      const auto name = std::to_string(lag) + "_" + std::to_string(before);
      EXPECT_EQ(over_checkpoint(folder / name, before, 7, {.every = 3, .lag = lag}),
                expected(before + 7, 3, lag))
          << "lag " << lag << ", checkpoint after " << before;
    }
  }
}

TEST(LaggedRun, ANewArgumentAfterACheckpointComputesAtOnce) {
  const test::Folder folder;
  heddle::ThreadGroup(1).run([&](heddle::Transport& transport) {
    for (const double gain : {0.0, 0.05, 0.01}) { // write, the same, another one
      Model model(transport, {2, 1, 1}, {.every = 3, .lag = 1});
      heddle::Checkpoint checkpoint(folder.path(), "run", transport);
      checkpoint.add(model.t());
      checkpoint.add(model.h());
      checkpoint.add(model.loop);
      if (gain == 0.0) {
        model.loop.run(5);
        checkpoint.write(5);
        continue;
      }
      (void)checkpoint.read();
      model.radiation.parameters.gain = gain;
      model.loop.run(2);
      EXPECT_EQ(model.loop.lagged(model.task).synchronous, gain == 0.05 ? 0 : 1);
    }
  });
}

} // namespace
