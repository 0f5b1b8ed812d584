// SPDX-License-Identifier: Apache-2.0
// What only a GPU shows: memory, streams, events and recorded graphs.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <list>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../test_folder.hpp"
#include "heddle/block_walls.hpp"
#include "heddle/buffer.hpp"
#include "heddle/checkpoint.hpp"
#include "heddle/device_scope.hpp"
#include "heddle/environment.hpp"
#include "heddle/error.hpp"
#include "heddle/halo_steps.hpp"
#include "heddle/index_list.hpp"
#include "heddle/nccl.hpp"
#include "heddle/reduction.hpp"
#include "heddle/solve.hpp"
#include "heddle/sparse_field.hpp"
#include "heddle/task_graph.hpp"
#include "heddle/trace.hpp"
#include "heddle/transport.hpp"
#include "lattice.hpp"

namespace {

using heddle::AccessMode;
using heddle::BlockGrid;
using heddle::Box;
using heddle::Field;
using heddle::FieldAccess;
using heddle::Memory;
using heddle::Stream;
using heddle::TaskGraph;

const Box domain{{0, 0, 0}, {37, 20, 9}};

double wave(std::int64_t x, std::int64_t y, std::int64_t z, int c) {
  return static_cast<double>(x + 41 * y + 977 * z + 100'000 * c);
}

TEST(Device, FieldsComeBackAsTheyWent) {
  const BlockGrid grid(domain, {2, 2, 1}, {true, true, false});
  for (const Memory memory : {Memory::device, Memory::pinned}) {
    Field<double> host(grid, {.components = 3});
    Field<double> other(grid, {.components = 3, .memory = memory});
    host.fill(wave);
    EXPECT_EQ(other.read(1, 2), std::vector<double>(host.read(1, 2).size(), 0.0));
    other.fill(wave);
    for (int b = 0; b < grid.size(); ++b)
      EXPECT_EQ(other.read(b, 2), host.read(b, 2));
    other.fill(1.0);
    other.copy_from(Field<double>(grid, {.components = 3}));
    EXPECT_EQ(other.read(0, 0)[5], 0.0);
    EXPECT_EQ(heddle::Reduction<double>(host, heddle::ReductionKind::sum, 1).value(), [&] {
      other.fill(wave);
      return heddle::Reduction<double>(other, heddle::ReductionKind::sum, 1).value();
    }());
  }
}

TEST(Device, ListsAndTheirFields) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(domain.volume()));
  for (std::size_t i = 0; i < flags.size(); ++i)
    flags[i] = static_cast<std::uint8_t>(i % 4);
  const heddle::IndexList host(domain, flags, {true, true, true}, lattice::aa_links());
  const heddle::IndexList device(domain, flags, {true, true, true}, lattice::aa_links(), Memory::device);
  std::vector<std::uint32_t> table(static_cast<std::size_t>(device.rows() * device.neighbour_stride()));
  heddle::copy_bytes(table.data(), Memory::host, device.neighbour(), Memory::device, table.size() * 4);
  for (std::int64_t row = 0; row < host.rows();
       ++row) { // the same slot and cell, whatever lies between slots
    for (std::int64_t n = 0; n < host.cells(); ++n) {
      const std::int64_t here = host.neighbour()[row * host.neighbour_stride() + n];
      const std::int64_t there = table[static_cast<std::size_t>(row * device.neighbour_stride() + n)];
      ASSERT_EQ(there / device.slot_stride(), here / host.slot_stride()) << row << " " << n;
      ASSERT_EQ(there % device.slot_stride(), here % host.slot_stride()) << row << " " << n;
    }
  }
  EXPECT_EQ(device.select(flags, 3).memory(), Memory::device);
  EXPECT_EQ(device.select(flags, 3).to_host(), host.select(flags, 3).to_host());
  heddle::SparseField<float> there(device, 2, Memory::device);
  heddle::SparseField<float> here(host, 2);
  there.fill([](auto x, auto y, auto z, int c) { return wave(x, y, z, c); });
  here.fill([](auto x, auto y, auto z, int c) { return wave(x, y, z, c); });
  EXPECT_EQ(there.read(1), here.read(1));
}

TEST(Device, RanksOfOneThreadReduceAndKeepTheirFields) {
  const BlockGrid grid(domain, {2, 2, 1}, {false, false, false}, 2);
  const test::Folder folder;
  Field<double> whole(BlockGrid(domain), {.components = 2});
  whole.fill(wave);
  std::list<Field<double>> fields;
  std::vector<const Field<double>*> parts;
  heddle::Checkpoint written(folder.path(), "run");
  for (int rank = 0; rank < 2; ++rank) {
    fields.emplace_back(grid, heddle::FieldOptions{.components = 2, .memory = Memory::device, .rank = rank});
    fields.back().fill(wave);
    parts.push_back(&fields.back());
    written.add(fields.back());
  }
  heddle::LocalTransport local;
  const heddle::Reduction<double> sum(grid.on_one_rank(), parts, heddle::ReductionKind::sum, local, 1);
  EXPECT_EQ(sum.value(), heddle::Reduction<double>(whole, heddle::ReductionKind::sum, 1).value());
  fields.front().fill(0.0);
  EXPECT_NE(sum.value(), heddle::Reduction<double>(whole, heddle::ReductionKind::sum, 1).value());
  fields.front().fill(wave);
  written.write(1);
  Field<double> one(BlockGrid(domain), {.components = 2, .memory = Memory::device});
  heddle::Checkpoint checkpoint(folder.path(), "run");
  checkpoint.add(one);
  checkpoint.read();
  EXPECT_EQ(one.read(0, 1), whole.read(0, 1));
}

/// A step over a list that holds cells: component `slot` is reached at (1, 0, 0), what else there is in the own
/// cell.
struct Reaching {
  heddle::SparseField<double>* field;
  std::array<heddle::LinkCrossing, 1> crossings;

  heddle::Exchange before() const { return exchange("before", heddle::Direction::owner_to_ghost); }
  heddle::Exchange after() const { return exchange("after", heddle::Direction::ghost_to_owner); }
  heddle::Exchange exchange(const char* name, heddle::Direction direction) const {
    heddle::Exchange result(name, direction, crossings, sizeof(double));
    result.add(*field);
    return result;
  }
};

TEST(Device, ACheckpointKeepsWhatCellsReach) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(domain.volume()));
  for (std::size_t i = 0; i < flags.size(); ++i)
    flags[i] = static_cast<std::uint8_t>(i % 4);
  const std::vector<heddle::Link> pointer{{0, {1, 0, 0}, heddle::Link::held}};
  const heddle::IndexList host(domain, flags, {false, false, false}, pointer);
  const heddle::IndexList device(domain, flags, {false, false, false}, pointer, Memory::device);
  const auto reached = [&](std::int64_t n) { return host.neighbour()[n]; };
  heddle::SparseField<double> f(device, 3, Memory::device);
  const auto value = [](std::int64_t n, int c) { return static_cast<double>(10 * n + c); };
  f.edit([&](heddle::SparseView<double> view) {
    for (std::int64_t n = 0; n < host.count() + host.held(); ++n) {
      for (int c = 0; c < 3; ++c)
        view(n, c) = value(n, c);
    }
  });
  heddle::LocalTransport local;
  const Reaching next{&f, {{{0, 0, 1, {1, 0, 0}}}}};
  const Reaching then{&f, {{{0, 0, 2, {1, 0, 0}}}}};
  const test::Folder folder;
  heddle::Checkpoint checkpoint(folder.path(), "run");
  checkpoint.add(f, next, then, local);
  checkpoint.write(1);
  f.fill(-1.0);
  checkpoint.read();
  std::int64_t behind = 0;
  f.inspect([&](heddle::SparseView<const double> view) {
    for (std::int64_t n = 0; n < host.count(); ++n) {
      EXPECT_EQ(view(n, 0), value(n, 0));
      EXPECT_EQ(view(n, 2), value(n, 2)); // in the next step the own one
      EXPECT_EQ(view(reached(n), 1), value(reached(n), 1));
      if (reached(n) < host.count()) continue;
      EXPECT_EQ(view(reached(n), 2), value(reached(n), 2)); // behind a wall
      ++behind;
    }
  });
  EXPECT_GT(behind, 100);
}

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
  waits.add(
      "waits", accesses, [](Stream& stream) { stream.synchronise(); }, Memory::device);
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

TEST(Device, TooMuchMemoryIsReported) {
  EXPECT_THROW(heddle::Buffer<char>(std::int64_t{1} << 50, Memory::device), heddle::Error);
  heddle::Buffer<char> small(1 << 20, Memory::device); // and later requests work
  EXPECT_EQ(small.to_host()[77], 0);
}

TEST(Device, IsDescribedAndChosen) {
  const heddle::Environment environment({.device = 0});
  EXPECT_NE(environment.describe().find("(used)"), std::string::npos) << environment.describe();
}

TEST(Device, FetchesAreChosenAndPutBack) {
  const auto fetches = [] {
    std::size_t bytes = 0;
    EXPECT_EQ(cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity), cudaSuccess);
    return bytes;
  };
  const std::size_t before = fetches();
  const int other = before == 128 ? 64 : 128;
  {
    const heddle::Environment environment({.fetch_bytes = other});
    EXPECT_EQ(fetches(), static_cast<std::size_t>(other));
    EXPECT_NE(environment.describe().find("fetches of " + std::to_string(other) + " bytes"), std::string::npos)
        << environment.describe();
  }
  EXPECT_EQ(fetches(), before);
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

TEST(Device, BlocksOfAVectorHaveTheSameWalls) {
  const BlockGrid grid(domain, {1, 2, 1}); // along y, where the halves are equal
  const Field<float> f(grid, {.memory = Memory::device, .interleaved = 2});
  EXPECT_NO_THROW(heddle::require_same_walls(f, 1U + 2U, "step"));
  EXPECT_THROW(heddle::require_same_walls(f, 1U + 4U, "step"), heddle::Error);
}

/// An exchange with a rank that never answers, until it is given up.
class Unanswered {
public:
  explicit Unanswered(const BlockGrid& grid) : grid_(&grid) {}
  std::string_view name() const { return "unanswered"; }
  std::vector<FieldAccess> accesses() const { return {{this, "f", AccessMode::write}}; }
  Memory memory() const { return Memory::device; }
  void operator()(Stream& stream) {
    const auto wait = [](void* given_up) { static_cast<std::atomic<bool>*>(given_up)->wait(false); };
    ASSERT_EQ(cudaLaunchHostFunc(static_cast<cudaStream_t>(stream.native()), wait, &given_up_), cudaSuccess);
  }
  heddle::HaloSteps steps() {
    heddle::HaloSteps steps;
    steps.grid = grid_;
    steps.messages = true;
    steps.memory = Memory::device;
    steps.fields = accesses();
    steps.start = [](Stream&) {};
    steps.finish = [this](Stream& stream) { (*this)(stream); };
    steps.waits_for = [] { return std::string("rank 0, 'unanswered': rank 1 (8 bytes)"); };
    steps.give_up = [this] {
      given_up_ = true;
      given_up_.notify_all();
    };
    return steps;
  }

private:
  const BlockGrid* grid_;
  std::atomic<bool> given_up_ = false;
};

TEST(Device, AWaitInAStreamThatTakesTooLongSaysForWhom) {
  setenv("HEDDLE_TIMEOUT", "0.2", 1);
  const BlockGrid grid(domain, {2, 1, 1}, {false, false, false}, 2);
  for (const heddle::Capture capture :
       {heddle::Capture::off, heddle::Capture::on, heddle::Capture::automatic}) {
    for (const bool overlap : {false, true}) {
      Unanswered exchange(grid);
      TaskGraph loop({.memory = Memory::device, .capture = capture, .overlap = overlap});
      loop.add(exchange);
      std::string error;
      try {
        loop.run(100); // more than the device is given at once
      } catch (const heddle::Error& thrown) {
        error = thrown.what();
      }
      EXPECT_NE(error.find("waited 200 ms for messages. rank 0, 'unanswered': rank 1 (8 bytes)"), std::string::npos)
          << error;
    }
  }
  unsetenv("HEDDLE_TIMEOUT");
}

/// Eight bytes to the other of two ranks and back, through NCCL.
class Swap {
public:
  Swap(const BlockGrid& grid, heddle::Transport& transport)
      : grid_(&grid), transport_(&transport), bytes_(16, Memory::device),
        send_{1 - transport.rank(), bytes_.data(), 8}, receive_{1 - transport.rank(), bytes_.data() + 8, 8} {
    transport.expect(traffic());
  }
  std::string_view name() const { return "swap"; }
  std::vector<FieldAccess> accesses() const { return {{this, "f", AccessMode::write}}; }
  Memory memory() const { return Memory::device; }
  void operator()(Stream& stream) {
    transport_->start(traffic(), stream);
    transport_->finish(traffic(), stream);
  }
  heddle::HaloSteps steps() {
    heddle::HaloSteps steps;
    steps.grid = grid_;
    steps.messages = true;
    steps.memory = Memory::device;
    steps.fields = accesses();
    steps.start = [this](Stream& stream) { transport_->start(traffic(), stream); };
    steps.finish = [this](Stream& stream) { transport_->finish(traffic(), stream); };
    steps.waits_for = [this] {
      return traffic().on(transport_->rank()) + ": " + heddle::to_string(traffic().receive);
    };
    steps.give_up = [this] { transport_->give_up(); };
    return steps;
  }

private:
  heddle::Traffic traffic() const {
    return {.plan = "swap", .send = std::span(&send_, 1), .receive = std::span(&receive_, 1)};
  }

  const BlockGrid* grid_;
  heddle::Transport* transport_;
  heddle::Buffer<std::byte> bytes_;
  heddle::Message send_;
  heddle::Message receive_;
};

TEST(Device, ARankThatNcclWaitsForInVainIsNamed) {
  if (heddle::device_count() < 2) GTEST_SKIP() << "two devices";
  if (!heddle::nccl_missing().empty()) GTEST_SKIP() << heddle::nccl_missing();
  setenv("HEDDLE_TIMEOUT", "1", 1);
  const BlockGrid grid(domain, {2, 1, 1}, {false, false, false}, 2);
  for (const heddle::Capture capture :
       {heddle::Capture::off, heddle::Capture::on, heddle::Capture::automatic}) {
    std::string error;
    std::atomic<bool> ended = false; // rank 1 is there, and does not run its loop
    heddle::nccl_run(2, [&](heddle::Transport& transport) {
      Swap swap(grid, transport);
      TaskGraph loop({.memory = Memory::device, .capture = capture});
      loop.add(swap);
      loop.run(3);
      if (transport.rank() == 1) return ended.wait(false);
      try {
        loop.run(100);
      } catch (const heddle::Error& thrown) {
        error = thrown.what();
      }
      EXPECT_THROW(loop.run(1), heddle::Error);
      ended = true;
      ended.notify_all();
    });
    EXPECT_NE(error.find("waited 1000 ms for messages. rank 0, 'swap', step 0: rank 1 (8 bytes)"), std::string::npos)
        << error;
  }
  unsetenv("HEDDLE_TIMEOUT");
}

/// What f() throws on rank 0 of two, while rank 1 is there and does nothing; `before` is done by both.
template <class Before, class F> std::string alone_of_two(const Before& before, const F& f) {
  setenv("HEDDLE_TIMEOUT", "1", 1);
  std::string error;
  std::atomic<bool> ended = false;
  heddle::nccl_run(2, [&](heddle::Transport& transport) {
    auto common = before(transport);
    if (transport.rank() == 1) return ended.wait(false);
    try {
      f(transport, common);
    } catch (const heddle::Error& thrown) {
      error = thrown.what();
    }
    ended = true;
    ended.notify_all();
  });
  unsetenv("HEDDLE_TIMEOUT");
  return error;
}

TEST(Device, ARankThatDoesNotJoinASumIsNamed) {
  if (heddle::device_count() < 2) GTEST_SKIP() << "two devices";
  if (!heddle::nccl_missing().empty()) GTEST_SKIP() << heddle::nccl_missing();
  const std::string error = alone_of_two(
      [](heddle::Transport& transport) {
        auto sum = heddle::reduction_of_numbers(
            heddle::ReductionKind::sum, [] { return 1.0; }, transport);
        EXPECT_EQ(sum(), 2.0);
        return sum;
      },
      [](heddle::Transport&, const std::function<double()>& sum) { (void)sum(); });
  EXPECT_NE(error.find("'reduction', step 4: waited 1000 ms for rank 1 ("), std::string::npos) << error;
}

TEST(Device, ASolveRefusesAMeasureOnTheHost) {
  TaskGraph graph({.memory = Memory::device});
  graph.add(
      "nothing", {}, [](Stream&) {}, Memory::device);
  EXPECT_THROW((void)heddle::solve(graph, heddle::Buffer<double>(1), {}), heddle::Error);
}

} // namespace
