// SPDX-License-Identifier: Apache-2.0
// One program, written for heddle::Ranks, on one rank, on ranks of one graph and on threads: the same number.
#include "heddle/transport/ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../support/packing.hpp"
#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/reduction/reduction.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Field;
using heddle::FieldView;
using heddle::Memory;
using heddle::Ranks;
using heddle::Transport;

const std::vector<heddle::HaloRegion> shell = heddle::ghost_shell(1, {1, 1, 1});

/// Sets an environment variable for as long as it lives.
class Setting {
public:
  Setting(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

private:
  const char* name_;
};

/// The blocks of one rank, and a step that needs their ghost cells.
class Part {
public:
  Part(const BlockGrid& grid, Transport& transport)
      : field_(grid, {.rank = transport.rank()}),
        halo_(packing::exchange(field_, shell, heddle::Direction::owner_to_ghost), transport) {
    field_.fill([](std::int64_t x, std::int64_t y, std::int64_t z, int) {
      return std::sin(static_cast<double>(1 + x + 31 * y + 977 * z));
    });
  }

  [[nodiscard]] const Field<double>& field() const { return field_; }

  void add_to(heddle::TaskGraph& loop) {
    loop.add(halo_);
    loop.add("mix", {{&field_, "f", heddle::AccessMode::read}, {&field_, "f", heddle::AccessMode::write}},
             [this](heddle::Stream&) { mix(); });
  }

private:
  void mix() {
    for (int b = 0; b < field_.blocks(); ++b) {
      const FieldView<double> f = field_.view(b);
      std::vector<double> sums;
      for (std::int64_t z = 0; z < f.extent(2); ++z) {
        for (std::int64_t y = 0; y < f.extent(1); ++y) {
          for (std::int64_t x = 0; x < f.extent(0); ++x)
            sums.push_back((f(x - 1, y, z) + 1.01 * f(x + 1, y, z) + f(x, y - 1, z + 1)) / 3);
        }
      }
      field_.write(b, 0, sums);
    }
  }

  Field<double> field_;
  heddle::HaloExchange halo_;
};

/// The sum after some steps, and how many ranks and processes there were.
struct Outcome {
  double sum = 0;
  int count = 0;
  int here = 0;
  int processes = 0;
};

Outcome program(Ranks& ranks) {
  const BlockGrid grid(heddle::Box{{0, 0, 0}, {9, 6, 4}}, {3, 2, 1}, {true, true, true}, ranks.count());
  heddle::TaskGraph loop;
  std::vector<std::unique_ptr<Part>> parts;
  ranks.each([&](Transport& transport) {
    parts.push_back(std::make_unique<Part>(grid, transport));
    parts.back()->add_to(loop);
  });
  loop.run(5);
  const auto sum = heddle::reduction_over_ranks<double>(
      ranks.process_grid(grid), heddle::ReductionKind::sum,
      [&](int block, std::int64_t y, std::int64_t z, std::span<double> row) {
        for (const auto& part : parts) {
          const int b = block - part->field().number(0);
          if (b < 0 || b >= part->field().blocks()) continue;
          const heddle::Box& box = part->field().box(b);
          for (std::size_t x = 0; x < row.size(); ++x)
            row[x] = part->field().view(b)(static_cast<std::int64_t>(x), y - box.lower[1], z - box.lower[2]);
        }
      },
      ranks.processes());
  return {sum(), ranks.count(), ranks.here(), ranks.processes().ranks()};
}

/// What rank 0 found, and what was printed.
struct Ending {
  int status = 0;
  Outcome outcome;
  std::string out;
  std::string errors;
};

Ending run_with(const char* ranks, const char* transport) {
  const Setting first("HEDDLE_RANKS", ranks);
  const Setting second("HEDDLE_TRANSPORT", transport);
  Ending run;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  run.status = heddle::run_in_one_process("bin/here", Memory::host, [&](Ranks& all) {
    const Outcome found = program(all);
    if (all.first()) run.outcome = found;
    return 0;
  });
  std::fflush(stdout);
  run.out = testing::internal::GetCapturedStdout();
  run.errors = testing::internal::GetCapturedStderr();
  return run;
}

TEST(Ranks, OneProgramGivesOneNumberHoweverItIsRun) {
  const Ending one = run_with("1", "auto");
  EXPECT_EQ(one.status, 0) << one.errors;
  EXPECT_EQ(one.outcome.count, 1);
  EXPECT_NE(one.outcome.sum, 0);
  EXPECT_EQ(one.out, "transport local: one process has all blocks\n");

  const Ending peers = run_with("4", "auto");
  EXPECT_EQ(peers.status, 0) << peers.errors;
  EXPECT_EQ(peers.outcome.count, 4);
  EXPECT_EQ(peers.outcome.here, 4);
  EXPECT_EQ(peers.outcome.processes, 1);
  EXPECT_EQ(peers.outcome.sum, one.outcome.sum);
  EXPECT_EQ(peers.out, "transport peer: one graph computes 4 ranks on this processor\n");

  const Ending threads = run_with("4", "threads");
  EXPECT_EQ(threads.status, 0) << threads.errors;
  EXPECT_EQ(threads.outcome.count, 4);
  EXPECT_EQ(threads.outcome.here, 1);
  EXPECT_EQ(threads.outcome.processes, 4);
  EXPECT_EQ(threads.outcome.sum, one.outcome.sum);
  EXPECT_NE(threads.out.find("transport threads: 4 ranks on a thread each"), std::string::npos)
      << threads.out;
}

TEST(Ranks, WhatCannotBeIsRefusedWithTheReason) {
  const Ending nonsense = run_with("many", "auto");
  EXPECT_EQ(nonsense.status, 1);
  EXPECT_NE(nonsense.errors.find("here: HEDDLE_RANKS: 'many' is not a valid number of ranks"),
            std::string::npos)
      << nonsense.errors;
  EXPECT_NE(run_with("0", "auto").errors.find("is not a valid number of ranks"), std::string::npos);
  const auto refusal = [](const char* ranks, const char* transport) {
    const std::string text = run_with(ranks, transport).errors;
    const std::string start = "here: select_transport: ";
    return text.starts_with(start) ? text.substr(start.size()) : text;
  };
  EXPECT_EQ(refusal("2", "local"), "local cannot be used: there are 2 ranks. Hint: HEDDLE_RANKS=1 makes one; "
                                   "HEDDLE_TRANSPORT can be auto, peer or threads here\n");
  for (const std::string transport : {"peer", "threads"})
    EXPECT_EQ(refusal("", transport.c_str()),
              transport +
                  " cannot be used: there is one rank. Hint: HEDDLE_RANKS=<number> gives this process "
                  "several; HEDDLE_TRANSPORT can be auto or local here\n");
  EXPECT_EQ(refusal("", "nccl").substr(0, 53), "nccl cannot be used: the fields lie in host memory. H");
  for (const std::string transport : {"mpi", "mpi-device"})
    EXPECT_EQ(
        refusal("", transport.c_str()).find(transport + " cannot be used: this program uses no MPI. Hint: "),
        0U);
  EXPECT_EQ(refusal("", "smoke"),
            "there is no transport 'smoke'. Hint: HEDDLE_TRANSPORT can be auto or local here\n");
  for (const char* const wait : {"soon", "0", "-1", "1e9", "3 "}) {
    const Setting limit("HEDDLE_TIMEOUT", wait);
    EXPECT_NE(run_with("2", "threads")
                  .errors.find("HEDDLE_TIMEOUT: '" + std::string(wait) + "' is not a valid timeout"),
              std::string::npos);
  }
}

TEST(Ranks, AnEmptySettingIsNone) {
  const Setting limit("HEDDLE_TIMEOUT", "");
  const Ending run = run_with("", "");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(run.out, "transport local: one process has all blocks\n");
  EXPECT_EQ(heddle::longest_wait(), std::chrono::minutes(5));
}

TEST(Ranks, OneOfManyThatFindsItselfAloneIsRefused) {
  const auto ending = [](const std::vector<std::pair<const char*, const char*>>& variables) {
    std::list<Setting> settings;
    for (const auto& [name, value] : variables)
      settings.emplace_back(name, value);
    return run_with("", "");
  };
  const Ending refused = ending({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}});
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(
      refused.errors.find("here: start of the program: PMI_SIZE=3 says that a launcher started several "
                          "processes, but this program uses no MPI: each process would compute everything"),
      std::string::npos)
      << refused.errors;
  EXPECT_NE(refused.errors.find("HEDDLE_TRANSPORT=local"), std::string::npos) << refused.errors;
  EXPECT_EQ(ending({{"OMPI_COMM_WORLD_SIZE", "2"}}).status, 1);
  EXPECT_EQ(ending({{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "0"}}).status, 1);
  EXPECT_EQ(ending({{"PMIX_RANK", "2"}}).status, 1); // no size is said, but there are ranks 0 and 1

  EXPECT_EQ(ending({{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}}).status, 0); // its daemons
  EXPECT_EQ(ending({{"PMIX_RANK", "0"}}).status, 0);
  // A shell of salloc, a script of sbatch, srun -n 1.
  EXPECT_EQ(ending({{"SLURM_NTASKS", "4"}}).status, 0);
  EXPECT_EQ(ending({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}).status, 0);
  EXPECT_EQ(ending({{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}}).status, 0);
}

TEST(Ranks, EachComputesAloneWhereThatIsSaid) {
  const Setting launcher("PMI_SIZE", "3");
  const Ending alone = run_with("", "local");
  EXPECT_EQ(alone.status, 0) << alone.errors;
  EXPECT_EQ(alone.outcome.count, 1);
}

TEST(Ranks, AThreadThatWaitsTooLongSaysForWhom) {
  const Setting first("HEDDLE_RANKS", "2");
  const Setting second("HEDDLE_TRANSPORT", "threads");
  const Setting limit("HEDDLE_TIMEOUT", "0.2");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = heddle::run_in_one_process("wind", Memory::host, [](Ranks& ranks) {
    if (!ranks.first()) std::this_thread::sleep_for(std::chrono::seconds(1));
    static_cast<void>(program(ranks));
    return 0;
  });
  (void)testing::internal::GetCapturedStdout();
  EXPECT_EQ(status, 1);
  const std::string why = testing::internal::GetCapturedStderr();
  EXPECT_NE(why.find("step 0: waited 200 ms for rank 1 ("), std::string::npos) << why;
  EXPECT_NE(why.find(" is busy "), std::string::npos) << why;
  EXPECT_NE(why.find("HEDDLE_TIMEOUT=<seconds> waits longer"), std::string::npos) << why;
}

TEST(Ranks, AThrowEndsTheProgramWithItsName) {
  for (const char* const transport : {"peer", "threads"}) {
    const Setting first("HEDDLE_RANKS", "3");
    const Setting second("HEDDLE_TRANSPORT", transport);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = heddle::run_in_one_process("/usr/bin/wind", Memory::host, [](Ranks& ranks) -> int {
      if (ranks.here() > 1 || !ranks.first()) throw heddle::Error("step 4", "it gives up");
      return 0;
    });
    std::fflush(stdout);
    (void)testing::internal::GetCapturedStdout();
    EXPECT_EQ(status, 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "wind: step 4: it gives up\n");
  }
}

TEST(Ranks, AProgramOfOneRankAThreadSaysSo) {
  heddle::PeerGroup group(2, {.memory = Memory::host});
  Ranks two(group);
  EXPECT_THROW((void)two.only(), heddle::Error);
  Ranks one;
  EXPECT_EQ(one.only().ranks(), 1);
  EXPECT_EQ(&one.processes(), &one.only());
}

TEST(Ranks, AProgramOfOneRankGetsAThreadForEach) {
  const Setting ranks("HEDDLE_RANKS", "3");
  std::mutex mutex;
  std::vector<int> seen;
  const auto body = [&](Transport& transport) {
    const std::lock_guard<std::mutex> lock(mutex);
    seen.push_back(transport.rank());
    return transport.ranks() == 3 ? 0 : 5;
  };
  testing::internal::CaptureStdout();
  EXPECT_EQ(heddle::run_in_one_process("here", Memory::host, body), 0);
  std::fflush(stdout);
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_EQ(out.find("transport threads: 3 ranks"), 0U) << out;
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));

  const Setting name("HEDDLE_TRANSPORT", "peer");
  testing::internal::CaptureStderr();
  EXPECT_EQ(heddle::run_in_one_process("here", Memory::host, body), 1);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "here: select_transport: peer cannot be used: one thread computes all ranks, and this program needs "
      "a thread for each. Hint: HEDDLE_TRANSPORT can be auto or threads here\n");
}

TEST(Ranks, TheStatusOfAnyThreadIsThatOfTheProgram) {
  const Setting first("HEDDLE_RANKS", "3");
  const Setting second("HEDDLE_TRANSPORT", "threads");
  testing::internal::CaptureStdout();
  const int status = heddle::run_in_one_process(
      "here", Memory::host, [](Ranks& ranks) { return ranks.only().rank() == 2 ? 7 : 0; });
  std::fflush(stdout);
  (void)testing::internal::GetCapturedStdout();
  EXPECT_EQ(status, 7);
}

} // namespace
