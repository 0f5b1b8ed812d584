// SPDX-License-Identifier: Apache-2.0
// Lagged tasks in streams and beside recorded graphs: all work is copies, so that the same program runs on a
// device (test_runtime_device) and on streams that are threads (test_lagged_streams, support/fake_gpu.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/graph/task_graph.hpp"

namespace {

using heddle::AccessMode;
using heddle::Buffer;
using heddle::Capture;
using heddle::FieldAccess;
using heddle::Memory;
using heddle::Period;
using heddle::Stream;
using heddle::TaskGraph;
using heddle::TaskGraphOptions;

using Words = Buffer<std::int64_t>;

void copy(Words& to, std::int64_t first, const Words& from, std::int64_t begin, std::int64_t count,
          Stream& stream) {
  heddle::copy_bytes(to.data() + first, to.memory(), from.data() + begin, from.memory(),
                     static_cast<std::size_t>(count) * sizeof(std::int64_t), stream);
}

/// A task of functions.
class Moves {
public:
  static constexpr bool takes_versions = true;
  Moves(std::string name, std::vector<FieldAccess> accesses, std::function<void(Stream&)> work)
      : name_(std::move(name)), accesses_(std::move(accesses)), work_(std::move(work)) {}
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const { return accesses_; }
  [[nodiscard]] static Memory memory() { return Memory::device; }
  void operator()(Stream& stream) const { work_(stream); }

private:
  std::string name_;
  std::vector<FieldAccess> accesses_;
  std::function<void(Stream&)> work_;
};

/// clock holds the numbers from the present step on; result is the first of them as the task saw it, after
/// much work; log holds what result was in each step, the last one first.
class Clock {
public:
  static constexpr std::int64_t steps = 64;
  static constexpr std::int64_t load = 1 << 16; // words of a copy that takes the task a while

  Clock(const Period& period, const TaskGraphOptions& options) : loop(options) {
    std::vector<std::int64_t> numbers(2 * steps);
    std::iota(numbers.begin(), numbers.end(), 100);
    clock_.copy_from(Words(numbers));
    task = loop.add(Moves("slow",
                          {{&clock_, "clock", AccessMode::read}, {&result_, "result", AccessMode::write}},
                          [this](Stream& stream) {
                            ++calls;
                            if (fails) throw std::range_error("on purpose");
                            for (int i = 0; i < 8; ++i) {
                              copy(heap_, load, heap_, 0, load, stream);
                              copy(heap_, 0, heap_, load, load, stream);
                            }
                            copy(stream.version(result_), 0, stream.version(clock_), 0, 1, stream);
                          }),
                    period);
    loop.add(Moves("tick",
                   {{&clock_, "clock", AccessMode::read},
                    {&clock_, "clock", AccessMode::write},
                    {&spare_, "spare", AccessMode::write},
                    {&spare_, "spare", AccessMode::read}},
                   [this](Stream& stream) {
                     ++ticks;
                     copy(spare_, 0, clock_, 1, 2 * steps - 1, stream);
                     copy(clock_, 0, spare_, 0, 2 * steps - 1, stream);
                   }));
    loop.add(Moves("log",
                   {{&result_, "result", AccessMode::read},
                    {&log_, "log", AccessMode::read},
                    {&log_, "log", AccessMode::write},
                    {&page_, "page", AccessMode::write}},
                   [this](Stream& stream) {
                     copy(page_, 0, log_, 0, steps - 1, stream);
                     copy(log_, 1, page_, 0, steps - 1, stream);
                     copy(log_, 0, result_, 0, 1, stream);
                   }));
  }

  /// What was seen in each of n steps.
  [[nodiscard]] std::vector<std::int64_t> seen(std::int64_t n) const {
    std::vector<std::int64_t> values = log_.to_host();
    values.resize(static_cast<std::size_t>(n));
    std::ranges::reverse(values);
    return values;
  }
  [[nodiscard]] static std::vector<std::int64_t> expected(std::int64_t n, const Period& period) {
    std::vector<std::int64_t> values;
    for (std::int64_t step = 0; step < n; ++step)
      values.push_back(100 + period.every * std::max<std::int64_t>(step / period.every - period.lag, 0));
    return values;
  }

private:
  Words clock_{2 * steps, Memory::device};
  Words spare_{2 * steps, Memory::device};
  Words result_{1, Memory::device};
  Words log_{steps, Memory::device};
  Words page_{steps, Memory::device};
  Words heap_{2 * load, Memory::device};

public:
  int calls = 0; // of the task's host code
  int ticks = 0; // of that of another task
  bool fails = false;
  TaskGraph loop; // ends first
  std::size_t task = 0;
};

TEST(LaggedStreams, WhatIsSeenDependsOnTheStepAlone) {
  for (const Period& period :
       {Period{1, 0}, Period{3, 0}, Period{1, 1}, Period{3, 1}, Period{10, 1}, Period{30, 1}}) {
    for (const Capture capture : {Capture::off, Capture::automatic, Capture::once}) {
      Clock clock(period, {.memory = Memory::device, .capture = capture});
      for (const std::int64_t n : {1, 2, 37, 24})
        clock.loop.run(n);
      EXPECT_EQ(clock.seen(64), Clock::expected(64, period)) << period.every << " " << period.lag;
      EXPECT_EQ(clock.calls, period.lag == 0 && period.every == 1 ? clock.calls : (63 / period.every) + 1);
    }
  }
}

TEST(LaggedStreams, IterationsBetweenTriggersAreRecorded) {
  Clock clock({.every = 20, .lag = 1}, {.memory = Memory::device, .capture = Capture::once});
  EXPECT_TRUE(clock.loop.capture().capture) << clock.loop.capture().reason;
  EXPECT_EQ(clock.loop.recorded_nodes(), 0);
  clock.loop.run(60);
  EXPECT_EQ(clock.loop.recorded_nodes(), 2 + 3); // an iteration of tick and log
  EXPECT_EQ(clock.seen(60), Clock::expected(60, {20, 1}));
  // The host code of tick: 3 triggers; of each of 3 chunks of 19 four times four and three: the first plan of
  // four iterations runs once and is recorded once, that of one iteration too.
  EXPECT_EQ(clock.ticks, 3 + (4 + 4) + (1 + 1));

  Clock all({.every = 20, .lag = 1}, {.memory = Memory::device, .capture = Capture::on});
  all.loop.run(60);
  EXPECT_EQ(all.seen(60), Clock::expected(60, {20, 1}));

  Clock each({.every = 1, .lag = 1}, {.memory = Memory::device});
  EXPECT_EQ(each.loop.capture().reason, "task 'slow trigger' lags and is begun in each iteration");
}

TEST(LaggedStreams, TheHostDoesNotWaitForTriggers) {
  const auto waits = [](std::int64_t every, std::int64_t n) {
    Clock clock({.every = every, .lag = 1}, {.memory = Memory::device, .capture = Capture::once});
    clock.loop.run(61); // all that is recorded has been
    const std::int64_t before = heddle::host_waits();
    clock.loop.run(n);
    return heddle::host_waits() - before;
  };
  EXPECT_EQ(waits(20, 20), waits(20, 40)); // one trigger, or two
}

TEST(LaggedStreams, AfterTheFirstIterationNothingIsAllocatedOrCrosses) {
  for (const Period& period : {Period{1, 0}, Period{4, 0}, Period{4, 1}}) {
    Clock clock(period, {.memory = Memory::device});
    clock.loop.run(1);
    const heddle::MemoryCounts before = heddle::memory_counts();
    clock.loop.run(30);
    EXPECT_EQ(heddle::memory_counts() - before, heddle::MemoryCounts());
    EXPECT_EQ(clock.seen(31).size(), 31U);
    EXPECT_EQ(to_string(heddle::memory_counts() - before),
              "uploads: 0, 0 bytes; downloads: 1, 512 bytes; allocations: 0");
  }
}

TEST(LaggedStreams, WaitsAreCountedAndTraced) {
  heddle::Trace trace;
  Clock clock({.every = 1, .lag = 1}, {.memory = Memory::device, .trace = &trace});
  clock.loop.run(10);
  clock.loop.finish();
  const heddle::LaggedReport report = clock.loop.lagged(clock.task);
  EXPECT_EQ(report.triggers, 10);
  EXPECT_EQ(report.synchronous, 1);
  EXPECT_GE(report.waits, 0);
  EXPECT_LE(report.waits, 8); // of triggers 2 to 9
  EXPECT_EQ(std::ranges::count(trace.spans(), std::string("background: slow"), &heddle::Trace::Span::row), 8);
}

TEST(LaggedStreams, AnErrorOfTheHostComesAtOnce) {
  Clock clock({.every = 3, .lag = 1}, {.memory = Memory::device});
  clock.loop.run(3);
  clock.fails = true;
  EXPECT_THROW(clock.loop.run(1), std::range_error);
  clock.fails = false;
  clock.loop.run(7);
  EXPECT_EQ(clock.loop.lagged(clock.task).synchronous, 2);
}

TEST(LaggedStreams, TheGraphWaitsBeforeItEnds) {
  for (int i = 0; i < 20; ++i) {
    Clock clock({.every = 2, .lag = 1}, {.memory = Memory::device});
    clock.loop.run(3);
  }
}

/// A task on the host whose fields lie on a device.
class Doubles {
public:
  static constexpr bool takes_versions = true;
  Doubles(const Words& in, Words& out) : in_(&in), out_(&out) {}
  [[nodiscard]] static std::string_view name() { return "doubles"; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const {
    return {{in_, "in", AccessMode::read}, {out_, "out", AccessMode::write}};
  }
  void operator()(Stream& stream) const {
    stream.version(*out_).copy_from(Words(std::vector<std::int64_t>{2 * stream.version(*in_).to_host()[0]}));
  }

private:
  const Words* in_;
  Words* out_;
};

TEST(LaggedStreams, ATaskOfTheHostLagsBesideADevice) {
  Words line(std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}, Memory::device);
  Words spare(9, Memory::device);
  Words out(1, Memory::device);
  TaskGraph loop({.memory = Memory::device});
  const std::size_t task = loop.add(Doubles(line, out), {.every = 2, .lag = 1});
  loop.add(Moves("tick",
                 {{&line, "line", AccessMode::read},
                  {&line, "line", AccessMode::write},
                  {&spare, "spare", AccessMode::write}},
                 [&](Stream& stream) {
                   copy(spare, 0, line, 1, 8, stream);
                   copy(line, 0, spare, 0, 8, stream);
                 }));
  EXPECT_TRUE(loop.capture().capture) << loop.capture().reason;
  for (const std::int64_t right : {2, 2, 2, 2, 6, 6, 10}) { // of 1 until iteration 4, then of 3, of 5
    loop.run(1);
    EXPECT_EQ(out.to_host()[0], right);
  }
  EXPECT_EQ(loop.lagged(task).synchronous, 1);
}

} // namespace
