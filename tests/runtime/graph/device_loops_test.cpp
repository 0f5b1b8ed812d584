// SPDX-License-Identifier: Apache-2.0
// Loops on a GPU: streams and events, recorded graphs, and solves that do not come back to the host.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/solvers/solve.hpp"

namespace {

using heddle::AccessMode;
using heddle::FieldAccess;
using heddle::Memory;
using heddle::Stream;
using heddle::TaskGraph;

/// Copies and sets of whole buffers, large enough that streams overlap: a missing event gives another result.
struct Move {
  std::size_t to = 0;
  std::size_t from = 0;
  int value = -1; // from 0: a set instead of a copy
};

TEST(Device, RandomGraphsAgreeWithSequentialExecution) {
  constexpr std::int64_t bytes = 8 << 20;
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Move> moves(24);
    for (Move& move : moves) {
      move = {random() % 6, random() % 6, random() % 3 == 0 ? static_cast<int>(random() % 200) : -1};
    }
    std::vector<std::uint8_t> expected(6, 0);
    for (int iteration = 0; iteration < 3; ++iteration) {
      for (const Move& move : moves) {
        expected[move.to] = move.value >= 0 ? static_cast<std::uint8_t>(move.value) : expected[move.from];
      }
    }
    for (const bool capture : {false, true}) {
      std::vector<heddle::Buffer<std::uint8_t>> state;
      for (int i = 0; i < 6; ++i)
        state.emplace_back(bytes, Memory::device);
      TaskGraph graph({.memory = Memory::device, .capture = capture});
      for (const Move& move : moves) {
        std::vector<FieldAccess> accesses{{&state[move.to], "to", AccessMode::write}};
        if (move.value < 0) accesses.push_back({&state[move.from], "from", AccessMode::read});
        const auto call = [&state, move](Stream& stream) {
          const auto native = static_cast<cudaStream_t>(stream.native());
          if (move.value >= 0) {
            cudaMemsetAsync(state[move.to].data(), move.value, bytes, native);
          } else if (move.to != move.from) {
            cudaMemcpyAsync(state[move.to].data(), state[move.from].data(), bytes, cudaMemcpyDeviceToDevice,
                            native);
          }
        };
        // Without capture some tasks pretend to run on the host: the graph then waits for the stream.
        const bool host = !capture && random() % 4 == 0;
        graph.add("move", accesses, call, host ? Memory::host : Memory::device);
      }
      graph.run(1);
      graph.run(2);
      for (std::size_t i = 0; i < state.size(); ++i) {
        const std::vector<std::uint8_t> found = state[i].to_host();
        ASSERT_TRUE(std::all_of(found.begin(), found.end(), [&](std::uint8_t v) { return v == expected[i]; }))
            << "trial " << trial << " capture " << capture << " buffer " << i;
      }
    }
  }
}

TEST(Device, CaptureRefusesHostTasksAndSurvivesFailures) {
  heddle::Buffer<int> buffer(16, Memory::device);
  const std::vector<FieldAccess> accesses{{&buffer, "b", AccessMode::write}};
  TaskGraph host({.memory = Memory::device, .capture = true});
  host.add("host", accesses, [](Stream&) {});
  EXPECT_THROW(host.run(), heddle::Error);

  int failures = 1;
  TaskGraph graph({.memory = Memory::device, .capture = true});
  graph.add(
      "fails once", accesses,
      [&](Stream& stream) {
        cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), static_cast<cudaStream_t>(stream.native()));
        if (failures-- > 0) throw std::runtime_error("on purpose");
      },
      Memory::device);
  EXPECT_THROW(graph.run(), std::runtime_error);
  graph.run(3);
  EXPECT_EQ(failures, -1); // recorded once, launched three times

  TaskGraph waits({.memory = Memory::device, .capture = true});
  waits.add("waits", accesses, [](Stream& stream) { stream.synchronise(); }, Memory::device);
  EXPECT_THROW(waits.run(), heddle::Error);
}

/// Sets a buffer to what `value` says when it is called; counts the calls.
class Set {
public:
  std::string_view name() const { return "set"; }
  std::vector<FieldAccess> accesses() const { return {{&buffer, "b", AccessMode::write}}; }
  Memory memory() const { return Memory::device; }
  void operator()(Stream& stream) {
    ++calls;
    if (waits) stream.synchronise();
    cudaMemsetAsync(buffer.data(), value, buffer.bytes(), static_cast<cudaStream_t>(stream.native()));
  }

  heddle::Buffer<std::uint8_t> buffer{64, Memory::device};
  int value = 0;
  int calls = 0;
  bool waits = false;
};

TEST(Device, LoopsAreRecordedAnewInEachRun) {
  Set set;
  TaskGraph loop({.memory = Memory::device});
  loop.add(set);
  EXPECT_TRUE(loop.capture().capture) << loop.capture().reason;
  EXPECT_EQ(loop.unroll(), 4);
  for (const auto& [value, calls] : {std::pair(3, 4 + 4 + 2), {5, 4 + 2}, {7, 4 + 2}}) {
    set.value = value; // four at once the first time, four recorded, and two by themselves
    set.calls = 0;
    loop.run(50);
    EXPECT_EQ(set.calls, calls);
    EXPECT_EQ(set.buffer.to_host()[63], value);
  }
  set.calls = 0;
  loop.run(15); // too few launches to be recorded
  EXPECT_EQ(set.calls, 15);
}

TEST(Device, ALoopRecordedOnceKeepsItsParameters) {
  Set set;
  TaskGraph loop({.memory = Memory::device, .capture = heddle::Capture::once});
  loop.add(set);
  EXPECT_TRUE(loop.capture().capture) << loop.capture().reason;
  set.value = 3;
  loop.run(48);
  EXPECT_EQ(set.calls, 4 + 4); // four at once the first time, four recorded
  set.value = 5;
  loop.run(48);
  loop.run(4);
  EXPECT_EQ(set.calls, 4 + 4);
  EXPECT_EQ(set.buffer.to_host()[63], 3);
}

TEST(Device, WhatCannotBeRecordedRunsAllTheSame) {
  Set set;
  set.waits = true;
  TaskGraph loop({.memory = Memory::device});
  loop.add(set);
  set.value = 9;
  loop.run(50);
  EXPECT_EQ(set.buffer.to_host()[0], 9);
  EXPECT_FALSE(loop.capture().capture);
  EXPECT_TRUE(loop.capture().reason.starts_with("recording failed: ")) << loop.capture().reason;
  set.waits = false;
  loop.run(50); // it is tried once more
  EXPECT_TRUE(loop.capture().capture) << loop.capture().reason;

  heddle::Trace trace;
  TaskGraph traced({.memory = Memory::device, .trace = &trace});
  traced.add(set);
  set.calls = 0;
  traced.run(20);
  EXPECT_EQ(set.calls, 20);
}

/// A chain of copies: each run moves the values one place on, so that `measure` takes one after the other.
class Chain {
public:
  explicit Chain(const std::vector<double>& values) {
    for (const double value : values)
      links_.emplace_back(std::vector<double>{value}, Memory::device);
    graph_.emplace(heddle::TaskGraphOptions{.memory = Memory::device});
    const auto copy = [this](heddle::Buffer<double>& to, heddle::Buffer<double>& from) {
      graph_->add(
          "copy", {{&from, "from", AccessMode::read}, {&to, "to", AccessMode::write}},
          [&to, &from](Stream& stream) {
            ASSERT_EQ(cudaMemcpyAsync(to.data(), from.data(), sizeof(double), cudaMemcpyDeviceToDevice,
                                      static_cast<cudaStream_t>(stream.native())),
                      cudaSuccess);
          },
          Memory::device);
    };
    copy(measure_, links_[0]);
    for (std::size_t i = 1; i < links_.size(); ++i)
      copy(links_[i - 1], links_[i]);
  }
  heddle::Solution solve(const heddle::Stopping& stopping) {
    return heddle::solve(*graph_, measure_, stopping);
  }

private:
  std::vector<heddle::Buffer<double>> links_;
  heddle::Buffer<double> measure_{1, Memory::device};
  std::optional<TaskGraph> graph_;
};

TEST(Device, ASolveLoopsWithoutTheHost) {
  const heddle::Solution met = Chain({8, 4, 2, 1, 0.5, 0.25}).solve({.tolerance = 1});
  EXPECT_TRUE(met.converged()) << to_string(met);
  EXPECT_EQ(met.cycles, 4);
  EXPECT_EQ(met.measure, 1);
  const heddle::Solution stalled = Chain({8, 4, 2}).solve({.tolerance = 1, .patience = 3});
  EXPECT_EQ(stalled.outcome, heddle::Outcome::stalled);
  EXPECT_EQ(stalled.cycles, 6);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Chain({8, nan, 1}).solve({.tolerance = 1}).outcome, heddle::Outcome::diverged);
  EXPECT_EQ(Chain({8, 4, 2, 1}).solve({.tolerance = 1, .most_cycles = 2}).outcome,
            heddle::Outcome::exhausted);
}

TEST(Device, ASolveWaitsAsOftenForOneCycleAsForMany) {
  const auto waits = [](std::int64_t cycles) {
    Chain chain(std::vector<double>(100, 2));
    const std::int64_t before = heddle::host_waits();
    EXPECT_EQ(chain.solve({.tolerance = 1, .most_cycles = cycles, .patience = 1000}).cycles, cycles);
    return heddle::host_waits() - before;
  };
  EXPECT_EQ(waits(80), waits(1));
  EXPECT_LE(waits(1), 4);
}

TEST(Device, WaitsAreCounted) {
  const std::int64_t before = heddle::host_waits();
  Stream stream(Memory::device);
  stream.synchronise();
  EXPECT_EQ(heddle::host_waits() - before, 1);
  const heddle::Buffer<int> numbers(std::vector<int>{1, 2, 3}, Memory::device);
  EXPECT_EQ(numbers.to_host()[1], 2);
  EXPECT_EQ(heddle::host_waits() - before, 3);
}

TEST(Device, ASolveRefusesAMeasureOnTheHost) {
  TaskGraph graph({.memory = Memory::device});
  graph.add("nothing", {}, [](Stream&) {}, Memory::device);
  EXPECT_THROW((void)heddle::solve(graph, heddle::Buffer<double>(1), {}), heddle::Error);
}

} // namespace
