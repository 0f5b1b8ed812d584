// SPDX-License-Identifier: Apache-2.0
// Which graphs are recorded without being asked to; what a recording does needs a device (device_test.cpp).
#include "heddle/graph/capture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/capture_decision.hpp"
#include "heddle/graph/task_graph.hpp"

namespace {

using heddle::Capture;
using heddle::decide_capture;
using heddle::Memory;
using heddle::TaskNode;

TaskNode task(std::string name, Memory memory) {
  TaskNode node;
  node.name = std::move(name);
  node.memory = memory;
  return node;
}

TEST(Capture, IsForGraphsThatOnlyPutWorkIntoStreams) {
  const std::vector<TaskNode> streams{task("halo", Memory::device), task("step", Memory::device)};
  EXPECT_TRUE(decide_capture(Capture::automatic, Memory::device, false, streams).capture);
  EXPECT_EQ(decide_capture(Capture::automatic, Memory::device, false, streams).reason,
            "all tasks only put work into streams");
  const std::vector<TaskNode> mixed{task("halo", Memory::device), task("print", Memory::host)};
  EXPECT_FALSE(decide_capture(Capture::automatic, Memory::device, false, mixed).capture);
  EXPECT_EQ(decide_capture(Capture::automatic, Memory::device, false, mixed).reason,
            "task 'print' runs on the host");
  EXPECT_FALSE(decide_capture(Capture::automatic, Memory::device, true, streams).capture);
  EXPECT_EQ(decide_capture(Capture::automatic, Memory::device, true, streams).reason,
            "it is traced, step by step");
}

TEST(Capture, IsStrictWhereItIsAskedFor) {
  const std::vector<TaskNode> mixed{task("print", Memory::host)};
  for (const bool asked : {false, true}) { // what cannot be recorded is then an error of the run
    EXPECT_EQ(decide_capture(asked, Memory::device, true, mixed).capture, asked);
    EXPECT_EQ(decide_capture(asked, Memory::device, true, mixed).reason, "asked for");
  }
}

TEST(Capture, IsNotForTheHost) {
  for (const Capture asked : {Capture(Capture::off), Capture(Capture::on), Capture(Capture::automatic)}) {
    heddle::TaskGraph loop({.capture = asked});
    int runs = 0;
    loop.add("count", {{&runs, "runs", heddle::AccessMode::write}}, [&](heddle::Stream&) { ++runs; });
    EXPECT_FALSE(loop.capture().capture);
    EXPECT_EQ(loop.capture().reason, "it runs on the host");
    EXPECT_EQ(loop.unroll(), 1);
    loop.run(9);
    EXPECT_EQ(runs, 9);
  }
  EXPECT_EQ(heddle::TaskGraph({.unroll = 3}).unroll(), 3);
}

} // namespace
