// SPDX-License-Identifier: Apache-2.0
// Tasks with periods, and tasks that lag: what is seen when, whatever the clock says.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../support/lagged_model.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/core/trace.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::AccessMode;
using heddle::Buffer;
using heddle::Field;
using heddle::FieldAccess;
using heddle::Period;
using heddle::Stream;
using heddle::TaskGraph;
using heddle::TaskGraphOptions;
using lagged_model::expected;
using lagged_model::in_kernel;
using lagged_model::Model;
using lagged_model::Values;
using namespace std::chrono_literals;

/// For one test.
class InKernel {
public:
  explicit InKernel(std::function<void()> call) { in_kernel = std::move(call); }
  ~InKernel() { in_kernel = nullptr; }
  InKernel(const InKernel&) = delete;
  InKernel& operator=(const InKernel&) = delete;
};

/// A door that a background task waits at.
class Gate {
public:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    change_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    change_.wait(lock, [this] { return open_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable change_;
  bool open_ = false;
};

/// The model on one rank.
void on_one_rank(const std::array<int, 3>& blocks, const Period& period, const TaskGraphOptions& options,
                 const std::function<void(Model&)>& use) {
  heddle::ThreadGroup(1).run([&](heddle::Transport& transport) {
    Model model(transport, blocks, period, options);
    use(model);
  });
}

/// A task made of functions, on buffers.
class OnBuffers {
public:
  static constexpr bool takes_versions = true;
  using Work = std::function<void(const Buffer<double>& in, Buffer<double>& out)>;

  OnBuffers(std::string name, const Buffer<double>& in, Buffer<double>& out, Work work)
      : name_(std::move(name)), in_(&in), out_(&out), work_(std::move(work)) {}
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const {
    return {{in_, "in", AccessMode::read}, {out_, "out", AccessMode::write}};
  }
  void operator()(Stream& stream) const { work_(stream.version(*in_), stream.version(*out_)); }

private:
  std::string name_;
  const Buffer<double>* in_;
  Buffer<double>* out_;
  Work work_;
};

TEST(LaggedTask, WithoutALagATaskRunsInEveryNthIteration) {
  for (const std::int64_t every : {1, 2, 5}) {
    for (const int threads : {1, 3}) {
      on_one_rank({3, 1, 2}, {.every = every}, {.threads = threads}, [&](Model& model) {
        model.loop.run(4);
        model.loop.run(9);
        EXPECT_EQ(model.values(), expected(13, every, 0)) << every << " " << threads;
        EXPECT_EQ(model.loop.iterations(), 13);
      });
    }
  }
}

TEST(LaggedTask, WhatIsSeenDependsOnTheStepAlone) {
  std::atomic<unsigned> calls = 0;
  const InKernel slow([&] { // some calls take longer than a period, some do not
    if (calls++ % 5 == 0) std::this_thread::sleep_for(2ms);
  });
  for (const std::int64_t every : {1, 2, 5}) {
    for (const TaskGraphOptions& options :
         {TaskGraphOptions{}, TaskGraphOptions{.threads = 3}, TaskGraphOptions{.unroll = 3},
          TaskGraphOptions{.shuffle = 1}, TaskGraphOptions{.shuffle = 99}}) {
      for (const std::array<int, 3>& blocks : {std::array{1, 1, 1}, {3, 2, 1}}) {
        on_one_rank(blocks, {.every = every, .lag = 1}, options, [&](Model& model) {
          for (const std::int64_t n : {1, 1, 7, 3, 11})
            model.loop.run(n);
          EXPECT_EQ(model.values(), expected(23, every, 1)) << every;
          EXPECT_NE(model.values(), expected(23, every, 0)) << every;
          EXPECT_EQ(model.loop.lagged(model.task).triggers, (23 + every - 1) / every);
          EXPECT_EQ(model.loop.lagged(model.task).synchronous, 1);
        });
      }
    }
  }
}

TEST(LaggedTask, ATriggerWaitsAndCounts) {
  const InKernel slow([] { std::this_thread::sleep_for(30ms); });
  heddle::Trace trace;
  on_one_rank({1, 1, 1}, {.every = 2, .lag = 1}, {.trace = &trace}, [](Model& model) {
    model.loop.run(7); // triggers 0 to 3: 0 computes, 2 and 3 wait for what 1 and 2 have begun
    const heddle::LaggedReport report = model.loop.lagged(model.task);
    EXPECT_EQ(report.triggers, 4);
    EXPECT_EQ(report.waits, 2);
    EXPECT_GT(report.waited_seconds, 0.02);
    EXPECT_EQ(model.values(), expected(7, 2, 1));
    EXPECT_NE(to_string(report).find("4 triggers, 1 synchronous, 2 waited 0.0"), std::string::npos)
        << to_string(report);
    model.loop.finish();
  });
  int background = 0;
  int waits = 0;
  int triggers = 0;
  for (const heddle::Trace::Span& span : trace.spans()) {
    background += span.row == "background: model::radiation" && span.end - span.begin > 0.02 ? 1 : 0;
    waits += span.name == "waits for model::radiation" ? 1 : 0;
    triggers += span.name == "model::radiation trigger" && span.row == "steps" ? 1 : 0;
  }
  EXPECT_EQ(background, 3);
  EXPECT_EQ(waits, 2);
  EXPECT_EQ(triggers, 4);
}

TEST(LaggedTask, RunDoesNotWaitForWhatLags) {
  Gate gate;
  std::atomic<int> calls = 0;
  const InKernel blocked([&] {
    if (calls++ > 0) gate.pass();
  });
  on_one_rank({1, 1, 1}, {.every = 4, .lag = 1}, {}, [&](Model& model) {
    model.loop.run(8); // what iteration 4 has begun is at the gate
    EXPECT_EQ(model.values(), expected(8, 4, 1));
    gate.open();
    model.loop.run(4);
    EXPECT_EQ(model.values(), expected(12, 4, 1));
  });
}

TEST(LaggedTask, ANewArgumentComputesAtOnce) {
  on_one_rank({1, 1, 1}, {.every = 2, .lag = 1}, {}, [&](Model& model) {
    model.loop.run(8);
    Values t = model.values();
    Values h;
    for (std::size_t i = 0; i < t.size(); ++i) {
      const std::size_t row = i - i % 12;
      h.push_back(0.02 * (t[row + (i + 11) % 12] + 2 * t[i] + t[row + (i + 1) % 12]));
    }
    model.radiation.parameters.gain = 0.02;
    model.loop.run(4); // the first trigger with it, and one that has nothing newer to publish
    EXPECT_EQ(model.loop.lagged(model.task).synchronous, 2);
    for (int step = 0; step < 4; ++step) {
      for (std::size_t i = 0; i < t.size(); ++i)
        t[i] = 0.75 * t[i] + h[i] + 0.01 * static_cast<double>(i % 12);
    }
    EXPECT_EQ(model.values(), t);
  });
}

TEST(LaggedTask, ACallHasTheParametersOfItsTrigger) {
  Gate gate;
  std::atomic<int> calls = 0;
  const InKernel blocked([&] {
    if (calls++ == 1) gate.pass();
  });
  on_one_rank({1, 1, 1}, {.every = 2, .lag = 1}, {}, [&](Model& model) {
    model.loop.run(4);
    model.radiation.parameters.gain = 7; // while the call of iteration 2 is at the gate
    gate.open();
    model.loop.finish();
    model.radiation.parameters.gain = 0.05;
    model.loop.run(4);
    EXPECT_EQ(model.values(), expected(8, 2, 1));
  });
}

TEST(LaggedTask, AnErrorComesWithTheNextTriggerAndThenItComputesAtOnce) {
  Buffer<double> in(4);
  Buffer<double> out(4);
  int fail = 0; // changed while nothing is under way
  OnBuffers task("task", in, out, [&](const Buffer<double>& from, Buffer<double>& to) {
    if (fail == 1) throw std::range_error("on purpose");
    to.data()[0] = from.data()[0] + 1;
  });
  TaskGraph loop;
  const std::size_t number = loop.add(task, {.every = 3, .lag = 1});
  loop.run(3);
  fail = 1;
  EXPECT_NO_THROW(loop.run(3)); // fails in the background
  EXPECT_THROW(loop.run(1), std::range_error);
  fail = 0;
  in.data()[0] = 41;
  loop.run(1);
  EXPECT_EQ(out.data()[0], 42);
  EXPECT_EQ(loop.lagged(number).synchronous, 2);
  loop.run(2);
  fail = 1;
  loop.run(1);
  EXPECT_THROW(loop.finish(), std::range_error);
  EXPECT_NO_THROW(loop.finish());
  fail = 0;
  in.data()[0] = 50;
  loop.run(3); // the trigger after an error computes at once
  EXPECT_EQ(out.data()[0], 51);
}

TEST(LaggedTask, AnErrorThatNobodyFetchesIsSaid) {
  Buffer<double> in(4);
  Buffer<double> out(4);
  std::atomic<int> calls = 0;
  testing::internal::CaptureStderr();
  {
    TaskGraph loop;
    loop.add(OnBuffers("task", in, out,
                       [&](const Buffer<double>&, Buffer<double>&) {
                         if (++calls == 2) throw std::range_error("on purpose");
                       }),
             {.lag = 1});
    loop.run(2);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: lagged task 'task' failed, and no trigger came after that: on purpose\n");
}

TEST(LaggedTask, TheGraphWaitsBeforeItEnds) {
  Buffer<double> in(4);
  Buffer<double> out(4);
  std::atomic<int> ended = 0;
  auto loop = std::make_unique<TaskGraph>();
  loop->add(OnBuffers("task", in, out,
                      [&](const Buffer<double>&, Buffer<double>&) {
                        std::this_thread::sleep_for(20ms);
                        ++ended;
                      }),
            {.lag = 1});
  loop->run(2);
  TaskGraph moved(std::move(*loop));
  loop.reset();
  moved = TaskGraph();
  EXPECT_EQ(ended, 2);
}

TEST(LaggedTask, FieldsOfANewShapeComputeAtOnce) {
  Buffer<double> in(4);
  Buffer<double> out(4);
  TaskGraph loop;
  const std::size_t number = loop.add(OnBuffers("task", in, out,
                                                [](const Buffer<double>& from, Buffer<double>& to) {
                                                  for (std::int64_t i = 0; i < from.size(); ++i)
                                                    to.data()[i] = 2 * from.data()[i];
                                                }),
                                      {.lag = 1});
  loop.run(3);
  EXPECT_EQ(loop.lagged(number).bytes, 64);
  in = Buffer<double>(std::vector<double>{1, 2, 3, 4, 5, 6});
  out = Buffer<double>(6);
  loop.run(1);
  EXPECT_EQ(out.to_host(), (std::vector<double>{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(loop.lagged(number).synchronous, 2);
  EXPECT_EQ(loop.lagged(number).bytes, 96);
  in.data()[0] = 9;
  loop.run(1); // publishes nothing, begins
  EXPECT_EQ(out.data()[0], 2);
  loop.run(1);
  EXPECT_EQ(out.data()[0], 18);
}

TEST(LaggedTask, WhatItDoesNotWriteStaysWhatItIs) {
  Buffer<double> in(4);
  Buffer<double> out(std::vector<double>{1, 2, 3, 4});
  TaskGraph loop;
  loop.add(OnBuffers("task", in, out, [](const Buffer<double>&, Buffer<double>& to) { to.data()[0] += 1; }),
           {.lag = 1});
  loop.run(5); // at once, and three that were published
  EXPECT_EQ(out.to_host(), (std::vector<double>{5, 2, 3, 4}));
}

TEST(LaggedTask, AGraphLagsAsAWhole) {
  for (const int lag : {0, 1}) {
    Buffer<double> in(1);
    Buffer<double> half(1);
    Buffer<double> out(1);
    TaskGraph inner({.name = "inner"});
    inner.add(OnBuffers("one", in, half, [](const Buffer<double>& from, Buffer<double>& to) {
      to.data()[0] = from.data()[0] / 2;
    }));
    inner.add(OnBuffers("two", half, out, [](const Buffer<double>& from, Buffer<double>& to) {
      to.data()[0] = from.data()[0] + 1;
    }));
    std::vector<double> seen;
    TaskGraph loop;
    loop.add(inner, {.every = 2, .lag = lag});
    loop.add("step",
             {{&out, "out", AccessMode::read}, {&in, "in", AccessMode::read}, {&in, "in", AccessMode::write}},
             [&](Stream&) {
               seen.push_back(out.data()[0]);
               in.data()[0] += 1;
             });
    loop.run(7);
    EXPECT_EQ(seen, lag == 0 ? (std::vector<double>{1, 1, 2, 2, 3, 3, 4})
                             : (std::vector<double>{1, 1, 1, 1, 2, 2, 3}));
  }
}

TEST(LaggedTask, AGraphWithALaggedTaskIsATask) {
  for (const int threads : {1, 2}) {
    on_one_rank({2, 1, 1}, {.every = 3, .lag = 1}, {}, [&](Model& model) {
      TaskGraph outer({.threads = threads});
      EXPECT_EQ(model.loop.memory(), heddle::Memory::host);
      outer.add(model.loop);
      outer.run(10);
      EXPECT_EQ(model.values(), expected(10, 3, 1));
      TaskGraph late;
      EXPECT_THROW(late.add(model.loop, {.lag = 1}), heddle::Error);
    });
  }
}

TEST(LaggedTask, ThreadsAreSharedWithTheTasksOfTheGraph) {
  const heddle::ThreadLimit four(4); // without OpenMP there is one
  const int all = heddle::thread_count();
  Buffer<double> in(1);
  Buffer<double> out(1);
  Gate gate;
  std::atomic<int> calls = 0;
  std::atomic<int> late = 0;
  TaskGraph loop;
  OnBuffers task("task", in, out, [&](const Buffer<double>&, Buffer<double>&) {
    if (calls++ == 0) return;
    late = heddle::thread_count();
    gate.pass();
  });
  loop.add(task, {.every = 2, .lag = 1, .threads = 3});
  std::vector<int> seen;
  loop.add("step", {{&out, "out", AccessMode::read}},
           [&](Stream&) { seen.push_back(heddle::thread_count()); });
  loop.run(4);
  gate.open();
  loop.finish();
  EXPECT_EQ(heddle::thread_count(), all);
  loop.run(1);
  EXPECT_EQ(late, std::min(all, 3));
  // The iteration that begins the call still has all threads.
  EXPECT_EQ(seen, (std::vector<int>{all, all, all, std::max(all - 3, 1), all}));
}

/// What the error says.
template <class Call> std::string refusal(const Call& call) {
  try {
    call();
  } catch (const heddle::Error& error) {
    return error.what();
  }
  return "";
}

struct OnNumber {
  static constexpr bool takes_versions = true;
  const int* object;
  [[nodiscard]] static std::string_view name() { return "task"; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const { return {{object, "number", AccessMode::read}}; }
  void operator()(Stream&) const {}
};

struct Plain {
  [[nodiscard]] static std::string_view name() { return "task"; }
  [[nodiscard]] static std::vector<FieldAccess> accesses() { return {}; }
  void operator()(Stream&) const {}
};

TEST(LaggedTask, WhatCannotLagIsRefused) {
  Buffer<double> in(1);
  Buffer<double> out(1);
  int number = 0;
  const OnBuffers task("task", in, out, [](const Buffer<double>&, Buffer<double>&) {});
  const OnBuffers in_place("task", in, in, [](const Buffer<double>&, Buffer<double>&) {});
  TaskGraph loop;
  const auto said = [&](const auto& one, const Period& period, std::string_view words) {
    const std::string text = refusal([&] { loop.add(std::remove_cvref_t<decltype(one)>(one), period); });
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_EQ(loop.size(), 0U);
  };
  said(task, {.every = 0}, "every 0 iterations is not valid");
  said(task, {.lag = 2}, "a lag of 2 periods is not valid");
  said(task, {.lag = -1}, "a lag of -1 periods is not valid");
  said(task, {.lag = 1, .threads = 0}, "0 threads are not valid");
  said(in_place, {.lag = 1}, "it updates 'in' in place");
  said(OnNumber{&number}, {.lag = 1}, "'number' cannot be copied");
  said(Plain{}, {.lag = 1}, "does not work on copies of its fields");
  loop.add(Plain{}, {.every = 2});
  EXPECT_NE(refusal([&] { static_cast<void>(loop.lagged(0)); }).find("does not lag"), std::string::npos);
  EXPECT_NE(refusal([&] { static_cast<void>(loop.lagged(1)); }).find("does not exist"), std::string::npos);
}

struct Careless {
  static constexpr bool takes_versions = true;
  const Buffer<double>* declared;
  const Buffer<double>* other;
  [[nodiscard]] static std::string_view name() { return "task"; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const { return {{declared, "in", AccessMode::read}}; }
  void operator()(Stream& stream) const { static_cast<void>(stream.version(*other)); }
};

TEST(LaggedTask, AnUndeclaredObjectIsFound) {
  const Buffer<double> one(1);
  const Buffer<double> two(1);
  TaskGraph loop;
  loop.add(Careless{&one, &two}, {.lag = 1});
  loop.run(2);
  EXPECT_NE(refusal([&] { loop.finish(); }).find("does not declare"), std::string::npos);
}

} // namespace
