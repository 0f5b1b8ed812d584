// SPDX-License-Identifier: Apache-2.0
#include "heddle/graph/task_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>

#include "heddle/core/error.hpp"

namespace {

using heddle::AccessMode;
using heddle::Error;
using heddle::FieldAccess;
using heddle::Stream;
using heddle::TaskGraph;

using Order = std::vector<std::size_t>;

FieldAccess reads(const int& object, std::string_view name = "r") {
  return {&object, name, AccessMode::read};
}
FieldAccess writes(const int& object, std::string_view name = "w") {
  return {&object, name, AccessMode::write};
}
void nothing(Stream&) {}

TEST(TaskGraph, OnlyOneThreadOfTheHostIsShuffled) {
  EXPECT_THROW(TaskGraph({.threads = 2, .shuffle = 1}), heddle::Error);
}

TEST(TaskGraph, DerivesOrderFromAccesses) {
  int a = 0;
  int b = 0;
  TaskGraph graph;
  const std::size_t first = graph.add("writes a", {writes(a)}, nothing);
  const std::size_t second = graph.add("reads a", {reads(a), writes(b)}, nothing); // RAW
  const std::size_t third = graph.add("reads a too", {reads(a)}, nothing);         // RAW, not after second
  const std::size_t fourth = graph.add("writes a again", {writes(a)}, nothing);    // WAR, WAW
  const std::size_t fifth = graph.add("free", {}, nothing);
  EXPECT_EQ(graph.predecessors(first), Order{});
  EXPECT_EQ(graph.predecessors(second), Order{first});
  EXPECT_EQ(graph.predecessors(third), Order{first});
  EXPECT_EQ(graph.predecessors(fourth), (Order{first, second, third}));
  EXPECT_EQ(graph.predecessors(fifth), Order{});
  EXPECT_EQ(graph.sequence(), (Order{0, 1, 2, 3, 4}));
}

/// A sweep: writes(i) = old values of what it reads, mixed, so that a wrong order gives other numbers.
struct RandomTask {
  std::vector<std::size_t> in;
  std::vector<std::size_t> out;
  std::uint64_t salt = 0;
};

void perform(const RandomTask& task, std::vector<std::uint64_t>& state) {
  std::uint64_t mixed = task.salt;
  for (const std::size_t i : task.in)
    mixed = (mixed ^ state[i]) * 0x9E3779B97F4A7C15ULL + 1;
  for (const std::size_t i : task.out)
    state[i] = mixed = mixed * 6364136223846793005ULL + 1442695040888963407ULL;
}

TEST(TaskGraph, RandomGraphsAgreeWithSequentialExecution) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t objects = 1 + random() % 8;
    const std::size_t count = 1 + random() % 30;
    std::vector<RandomTask> tasks(count);
    for (RandomTask& task : tasks) {
      for (std::size_t i = 0; i < objects; ++i) {
        if (random() % 4 == 0) task.in.push_back(i);
        if (random() % 5 == 0) task.out.push_back(i);
      }
      task.salt = random();
    }
    std::vector<std::uint64_t> expected(objects, 1);
    const int iterations = 3;
    for (int i = 0; i < iterations; ++i) {
      for (const RandomTask& task : tasks)
        perform(task, expected);
    }
    for (const int threads : {1, 2, 4}) {
      std::vector<std::uint64_t> state(objects, 1);
      TaskGraph graph({.threads = threads});
      for (const RandomTask& task : tasks) {
        std::vector<FieldAccess> accesses;
        for (const std::size_t i : task.in)
          accesses.push_back({&state[i], "in", AccessMode::read});
        for (const std::size_t i : task.out)
          accesses.push_back({&state[i], "out", AccessMode::write});
        graph.add("task", accesses, [&task, &state](Stream&) { perform(task, state); });
      }
      graph.run(iterations);
      ASSERT_EQ(state, expected) << "trial " << trial << " threads " << threads;
    }
  }
}

TEST(TaskGraph, AnyOrderItAllowsGivesTheSameResult) {
  // The edges themselves, not the thread pool's luck: random topological orders of predecessors().
  std::mt19937 random(11);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<RandomTask> tasks(12);
    std::vector<std::uint64_t> objects(4, 1);
    TaskGraph graph;
    for (RandomTask& task : tasks) {
      std::vector<FieldAccess> accesses;
      for (std::size_t i = 0; i < objects.size(); ++i) {
        if (random() % 3 == 0)
          task.in.push_back(i), accesses.push_back({&objects[i], "in", AccessMode::read});
        if (random() % 4 == 0)
          task.out.push_back(i), accesses.push_back({&objects[i], "out", AccessMode::write});
      }
      task.salt = random();
      graph.add("task", accesses, nothing);
    }
    std::vector<std::uint64_t> expected = objects;
    for (const RandomTask& task : tasks)
      perform(task, expected);
    std::vector<std::uint64_t> state = objects;
    std::vector<bool> done(tasks.size(), false);
    for (std::size_t step = 0; step < tasks.size(); ++step) {
      Order ready;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        const Order before = graph.predecessors(i);
        if (!done[i] && std::all_of(before.begin(), before.end(), [&](std::size_t p) { return done[p]; }))
          ready.push_back(i);
      }
      ASSERT_FALSE(ready.empty());
      const std::size_t next = ready[random() % ready.size()];
      done[next] = true;
      perform(tasks[next], state);
    }
    ASSERT_EQ(state, expected);
  }
}

TEST(TaskGraph, IndependentTasksRunConcurrently) {
  // Each waits until the other has begun: serial execution would time out.
  std::mutex mutex;
  std::condition_variable change;
  int begun = 0;
  std::atomic<int> met = 0;
  const auto meet = [&](Stream&) {
    std::unique_lock lock(mutex);
    ++begun;
    change.notify_all();
    if (change.wait_for(lock, std::chrono::seconds(20), [&] { return begun == 2; })) ++met;
  };
  int a = 0;
  int b = 0;
  TaskGraph graph({.threads = 2});
  graph.add("a", {writes(a)}, meet);
  graph.add("b", {writes(b)}, meet);
  graph.run();
  EXPECT_EQ(met, 2);
}

TEST(TaskGraph, IsTracedOnThreadsAndShuffled) {
  for (const bool shuffled : {false, true}) {
    heddle::Trace trace;
    TaskGraph graph({.threads = shuffled ? 1 : 2,
                     .trace = &trace,
                     .trace_process = 5,
                     .shuffle = shuffled ? std::uint64_t{3} : 0});
    const std::array<int, 2> fields{};
    for (const int& field : fields)
      graph.add(&field == fields.data() ? "first" : "second", {{&field, "f", AccessMode::write}},
                [](Stream&) {});
    graph.run(3);
    std::map<std::string, int> seen;
    for (const heddle::Trace::Span& span : trace.spans()) {
      ++seen[span.name];
      EXPECT_EQ(span.process, 5);
      EXPECT_LE(span.begin, span.end);
      const bool on_thread = span.row == "thread 0" || span.row == "thread 1";
      EXPECT_TRUE(shuffled ? span.row == "steps" : on_thread) << span.row;
    }
    EXPECT_EQ(seen, (std::map<std::string, int>{{"first", 3}, {"second", 3}}));
  }
}

TEST(TaskGraph, RepeatsUntilAConditionHolds) {
  int count = 0;
  int asked = 0;
  TaskGraph graph;
  graph.add("count", {writes(count)}, [&](Stream&) { ++count; });
  const auto at_least = [&](int n) {
    return [&, n] {
      ++asked;
      return count >= n;
    };
  };
  heddle::IterationResult done = graph.repeat_until(at_least(10), 4, 100);
  EXPECT_TRUE(done.met);
  EXPECT_EQ(done.iterations, 12);
  EXPECT_EQ(asked, 3);
  done = graph.repeat_until(at_least(1000), 4, 10);
  EXPECT_FALSE(done.met);
  EXPECT_EQ(done.iterations, 10);
  EXPECT_EQ(count, 22);
  EXPECT_THROW(graph.repeat_until(at_least(1), 0, 10), Error);
  EXPECT_THROW(graph.repeat_until(at_least(1), 1, -1), Error);
  EXPECT_THROW(graph.repeat_until({}, 1, 1), Error);
  EXPECT_THROW(graph.run(-1), Error);
}

TEST(TaskGraph, AnExceptionEndsTheRun) {
  for (const int threads : {1, 3}) {
    int a = 0;
    int b = 0;
    std::atomic<int> later = 0;
    TaskGraph graph({.threads = threads});
    graph.add("fails", {writes(a)}, [](Stream&) { throw std::runtime_error("on purpose"); });
    graph.add("beside", {writes(b)}, nothing);
    graph.add("later", {reads(a)}, [&](Stream&) { ++later; });
    EXPECT_THROW(graph.run(5), std::runtime_error);
    EXPECT_EQ(later, 0);
  }
}

TEST(TaskGraph, RefusesCyclesAndUnknownTasks) {
  int a = 0;
  TaskGraph graph;
  const std::size_t write = graph.add("write", {writes(a)}, nothing);
  const std::size_t middle = graph.add("middle", {reads(a)}, nothing);
  const std::size_t free = graph.add("free", {}, nothing);
  graph.order(free, write);
  EXPECT_EQ(graph.sequence(), (Order{free, write, middle}));
  graph.order(middle, free);
  try {
    graph.run();
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    for (const char* name : {"'write'", "'middle'", "'free'"})
      EXPECT_NE(text.find(name), std::string::npos) << text;
  }
  EXPECT_THROW(graph.order(0, 17), Error);
  EXPECT_THROW((void)graph.predecessors(17), Error);
  EXPECT_THROW(graph.add("null", {{nullptr, "f", AccessMode::read}}, nothing), Error);
  EXPECT_THROW(graph.add("empty", {}, {}), Error);
  EXPECT_THROW(graph.add(graph), Error);
  EXPECT_THROW(TaskGraph({.threads = 0}), Error);
  if (!heddle::built_with_cuda()) {
    EXPECT_THROW(TaskGraph({.memory = heddle::Memory::device}), Error);
  }
}

struct Sweep {
  int* target;
  int step = 1;
  std::string_view name() const { return "sweep"; }
  std::vector<FieldAccess> accesses() const {
    return {{target, "f", AccessMode::read}, {target, "f", AccessMode::write}};
  }
  void operator()(Stream&) const { *target += step; }
};

TEST(TaskGraph, TakesSweepsByReferenceOrByValue) {
  int f = 0;
  Sweep kept{&f};
  TaskGraph graph;
  graph.add(kept);
  graph.add(Sweep{&f, 10});
  graph.run(2);
  EXPECT_EQ(f, 22);
  kept.step = 100; // a parameter changes between runs
  graph.run();
  EXPECT_EQ(f, 132);
}

TEST(TaskGraph, NestsInAnother) {
  int f = 0;
  int g = 0;
  TaskGraph inner({.name = "inner"});
  inner.add(Sweep{&f});
  inner.add(Sweep{&f, 2});
  EXPECT_EQ(inner.accesses().size(), 2U);
  TaskGraph outer;
  outer.add("before", {writes(f)}, [&](Stream&) { f = 100; });
  outer.add(inner);
  outer.add("after", {reads(f), writes(g)}, [&](Stream&) { g = f; });
  EXPECT_EQ(outer.predecessors(1), Order{0});
  EXPECT_EQ(outer.predecessors(2), Order{1});
  outer.run();
  EXPECT_EQ(g, 103);
}

TEST(TaskGraph, WritesDot) {
  int a = 0;
  TaskGraph graph({.name = "loop \"x\""});
  graph.add("first", {writes(a, "u")}, nothing);
  graph.add("second", {reads(a, "u"), writes(a, "u")}, nothing);
  graph.add("third", {reads(a, "u"), writes(a, "u")}, nothing);
  graph.order(0, 2); // follows from the others: not drawn
  EXPECT_EQ(graph.to_dot(), "digraph \"loop \\\"x\\\"\" {\n"
                            "  t0 [label=\"first; writes u\"];\n"
                            "  t1 [label=\"second; reads u; writes u\"];\n"
                            "  t2 [label=\"third; reads u; writes u\"];\n"
                            "  t0 -> t1;\n"
                            "  t1 -> t2;\n"
                            "}\n");
}

} // namespace
