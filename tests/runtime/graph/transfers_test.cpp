// SPDX-License-Identifier: Apache-2.0
// What crosses between the host and a device follows from what tasks declare. All work on the device is
// copies, so that the same program runs on a device (test_runtime_device) and on streams that are threads
// (test_lagged_streams, support/fake_gpu.cpp).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/graph/transfers.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"

namespace {

using heddle::AccessMode;
using heddle::Buffer;
using heddle::HostCopy;
using heddle::Memory;
using heddle::Period;
using heddle::Stream;
using heddle::TaskGraph;
using heddle::Transfers;

using Words = Buffer<std::int64_t>;
constexpr std::int64_t length = 64, bytes = 8 * length;

/// source is written on the host, carried to q on the device, and q is read on the host.
struct Carried {
  explicit Carried(Memory memory)
      : source_there(length, memory), q_there(length, memory), unread_there(length, memory) {
    transfers.pair("source", source);
    transfers.pair("q", q);
    transfers.pair("unread", unread);
  }

  void write(const Period& period = {}) {
    transfers.add(
        "write", {{&source.host(), "source", AccessMode::write}},
        [this](Stream&) { source.host().span()[0] = ++written; }, period);
  }
  void carry(Memory memory) {
    transfers.add(
        "carry",
        {{&source_there, "source"},
         {&q_there, "q", AccessMode::write},
         {&unread_there, "unread", AccessMode::write}},
        [this](Stream& stream) {
          q_there.copy_from(source_there, stream);
          unread_there.copy_from(source_there, stream);
        },
        {}, memory);
  }
  void read(const Period& period = {}) {
    transfers.add(
        "read", {{&q.host(), "q"}}, [this](Stream&) { seen.push_back(q.host().span()[0]); }, period);
  }
  /// Copies of this many iterations.
  heddle::MemoryCounts run(std::int64_t n) {
    const heddle::MemoryCounts before = heddle::memory_counts();
    graph.run(n);
    return heddle::memory_counts() - before;
  }

  Words source_there, q_there, unread_there;
  HostCopy<Words> source{source_there}, q{q_there}, unread{unread_there};
  std::int64_t written = 0;
  std::vector<std::int64_t> seen;
  Transfers transfers;
  TaskGraph graph{{.memory = source_there.memory()}};
};

std::vector<std::string> names(const Transfers& transfers) {
  std::vector<std::string> found;
  for (const Transfers::Copy& copy : transfers.copies())
    found.push_back(copy.name + ' ' + copy.at + ' ' + std::to_string(copy.every));
  return found;
}

TEST(Transfers, BringWhatIsReadAndNothingElse) {
  for (const Memory memory : {Memory::device, Memory::host}) {
    Carried a(memory);
    a.write();
    a.carry(memory);
    a.read({.every = 4});
    a.transfers.add_to(a.graph);
    a.graph.run(1);
    const heddle::MemoryCounts counts = a.run(11);
    EXPECT_EQ(a.seen, (std::vector<std::int64_t>{1, 5, 9}));
    if (memory == Memory::host) {
      EXPECT_EQ(counts, heddle::MemoryCounts());
      EXPECT_TRUE(a.transfers.report().empty());
      continue;
    }
    EXPECT_EQ(names(a.transfers),
              (std::vector<std::string>{"upload source before 'carry' 1", "download q before 'read' 4"}));
    EXPECT_EQ(to_string(counts), "uploads: 11, 5632 bytes; downloads: 2, 1024 bytes; allocations: 0");
    EXPECT_EQ(a.transfers.report(), "upload source: 512 bytes before 'carry'\n"
                                    "download q: 512 bytes before 'read', every 4 iterations\n"
                                    "an iteration: 512 bytes up, 128 bytes down\n");
  }
}

TEST(Transfers, OfTheIterationBeforeComeAtItsBeginning) {
  Carried a(Memory::device);
  a.read();
  a.write();
  a.carry(Memory::device);
  a.transfers.add_to(a.graph);
  a.graph.run(3);
  EXPECT_EQ(a.seen, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(names(a.transfers),
            (std::vector<std::string>{"download q before 'read' 1", "upload source before 'carry' 1"}));
}

TEST(Transfers, WhatIsWrittenInSomeIterationsCrossesInThese) {
  Carried a(Memory::device);
  a.write({.every = 3});
  a.carry(Memory::device);
  a.read();
  a.transfers.add_to(a.graph);
  a.graph.run(1);
  const heddle::MemoryCounts counts = a.run(6);
  EXPECT_EQ(a.seen, (std::vector<std::int64_t>{1, 1, 1, 2, 2, 2, 3}));
  EXPECT_EQ(names(a.transfers),
            (std::vector<std::string>{"upload source after 'write' 3", "download q before 'read' 1"}));
  EXPECT_EQ(counts.uploaded_bytes, 2 * bytes);
  EXPECT_EQ(counts.downloaded_bytes, 6 * bytes);
}

TEST(Transfers, ReadersOfDifferentPeriodsGetTheirOwn) {
  Carried a(Memory::device);
  Words alone(length, Memory::device);
  HostCopy<Words> copy(alone);
  a.transfers.pair("alone", copy);
  a.write();
  a.carry(Memory::device);
  a.read({.every = 4});
  a.read();
  a.transfers.add(
      "write in vain", {{&alone, "alone", AccessMode::write}}, [](Stream&) {}, {.every = 2}, Memory::device);
  a.transfers.add_to(a.graph);
  a.graph.run(5);
  EXPECT_EQ(a.seen, (std::vector<std::int64_t>{1, 1, 2, 3, 4, 5, 5}));
  EXPECT_EQ(names(a.transfers),
            (std::vector<std::string>{"upload source before 'carry' 1", "download q before 'read' 4",
                                      "download q before 'read' 1"}));
}

TEST(Transfers, ForCodeBetweenRunsStandAtBothEnds) {
  Carried a(Memory::device);
  a.transfers.outside(a.source, Transfers::Side::host, AccessMode::write);
  a.transfers.outside(a.q, Transfers::Side::host, AccessMode::read);
  a.carry(Memory::device);
  a.transfers.add_to(a.graph);
  for (std::int64_t step = 1; step < 4; ++step) {
    a.source.host().span()[5] = step;
    a.graph.run(1);
    EXPECT_EQ(a.q.host().span()[5], step);
  }
  EXPECT_EQ(names(a.transfers),
            (std::vector<std::string>{"upload source before 'carry' 1", "download q at the end 1"}));
}

TEST(Transfers, ForAnotherGraphOnTheDeviceToo) {
  Carried a(Memory::device);
  a.transfers.outside(a.q, Transfers::Side::device, AccessMode::write);
  a.transfers.outside(a.source, Transfers::Side::device, AccessMode::read);
  a.read();
  a.write();
  a.transfers.add_to(a.graph);
  Words given(std::vector<std::int64_t>(length, 17));
  a.q_there.copy_from(given);
  a.graph.run(1);
  EXPECT_EQ(a.seen, std::vector<std::int64_t>{17});
  EXPECT_EQ(a.source_there.to_host()[0], 1);
  EXPECT_EQ(names(a.transfers),
            (std::vector<std::string>{"download q before 'read' 1", "upload source at the end 1"}));
}

TEST(Transfers, WhatATaskUpdatesComesFromWhereItIsNew) {
  Words there(length, Memory::device);
  HostCopy<Words> copy(there);
  Transfers transfers;
  TaskGraph graph({.memory = Memory::device});
  transfers.pair("there", copy);
  transfers.add(
      "zero all but one", {{&there, "there", AccessMode::write}},
      [&](Stream& stream) {
        heddle::copy_bytes(there.data() + 1, Memory::device, there.data(), Memory::device, 8, stream);
      },
      {}, Memory::device);
  transfers.add("count", {{&copy.host(), "copy", AccessMode::write}},
                [&](Stream&) { ++copy.host().span()[0]; });
  transfers.add_to(graph);
  graph.run(3);
  EXPECT_EQ(names(transfers), (std::vector<std::string>{"upload there before 'zero all but one' 1",
                                                        "download there before 'count' 1"}));
  EXPECT_EQ(copy.host().span()[0], 3);
  EXPECT_EQ(copy.host().span()[1], 2);
}

TEST(Transfers, TakeFieldsWithTheirGhostLayers) {
  const heddle::BlockGrid grid({{0, 0, 0}, {5, 4, 3}}, {1, 2, 1});
  heddle::Field<float> there(grid, {.components = 2, .ghost_layers = 2, .memory = Memory::device});
  there.fill(7);
  there.fill([](auto x, auto y, auto z, int c) { return x + 10 * y + 100 * z + 1000 * c; });
  HostCopy<heddle::Field<float>> copy(there);
  Transfers transfers;
  TaskGraph graph({.memory = Memory::device});
  transfers.pair("there", copy);
  transfers.outside(copy, Transfers::Side::host, AccessMode::read);
  transfers.add("touch", {{&there, "there", AccessMode::write}}, [](Stream&) {}, {}, Memory::device);
  transfers.add_to(graph);
  graph.run(1);
  for (int block = 0; block < 2; ++block) {
    EXPECT_EQ(copy.host().read(block, 1), there.read(block, 1));
    EXPECT_EQ(copy.host().view(block)(-2, -1, 3, 1), 7);
  }
  EXPECT_EQ(transfers.copies().at(0).bytes, static_cast<std::int64_t>(there.bytes()));
  heddle::Field<float> host(grid, {.components = 2, .ghost_layers = 2});
  Stream stream(Memory::device);
  EXPECT_THROW(host.copy_from(there, stream), heddle::Error); // rows lie otherwise
}

/// What add_to() throws says this.
void expect_refused(Transfers& transfers, TaskGraph& graph, const std::string& words) {
  try {
    transfers.add_to(graph);
    FAIL() << "nothing is refused";
  } catch (const heddle::Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Transfers, RefuseWhatCannotBeTold) {
  Words there(length, Memory::device);
  HostCopy<Words> copy(there), forgotten(there);
  TaskGraph graph({.memory = Memory::device});
  Transfers unknown;
  unknown.pair("there", copy);
  unknown.outside(forgotten, Transfers::Side::host, AccessMode::read);
  expect_refused(unknown, graph, "a copy that is not paired");
  Transfers two;
  two.pair("there", copy);
  two.outside(copy, Transfers::Side::host, AccessMode::write);
  two.outside(copy, Transfers::Side::device, AccessMode::write);
  expect_refused(two, graph, "both sides of a copy are written");
  Transfers again;
  again.add_to(graph);
  expect_refused(again, graph, "in a graph already");
}

TEST(Transfers, KeepTheNamesOfAccesses) {
  Words there(length, Memory::host);
  Transfers transfers;
  TaskGraph graph;
  transfers.add("first", {{&there, std::string(64, 'n'), AccessMode::write}}, [](Stream&) {});
  transfers.add("second", {{&there, std::string(64, 'm')}}, [](Stream&) {});
  transfers.add_to(graph);
  graph.run(1);
  EXPECT_NE(graph.to_dot().find(std::string(64, 'n')), std::string::npos);
}

TEST(Transfers, RefuseATaskOnBothSides) {
  Words there(length, Memory::device);
  HostCopy<Words> copy(there);
  Transfers transfers;
  TaskGraph graph({.memory = Memory::device});
  transfers.pair("there", copy);
  transfers.add("both", {{&there, "there"}, {&copy.host(), "copy", AccessMode::write}}, [](Stream&) {});
  expect_refused(transfers, graph, "task 'both' accesses 'there' on the device");
}

} // namespace
