// SPDX-License-Identifier: Apache-2.0
// A graph that finds out for itself whether to compute interiors while messages travel.
#include "heddle/graph/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/halo/halo_steps.hpp"

namespace {

using heddle::Overlap;
using heddle::TaskGraph;

/// A clock that moves when a task says that it took a while: other work on the machine changes nothing.
double clock_us = 0;
double seconds() {
  return 1e-6 * clock_us;
}

const heddle::BlockGrid grid({{0, 0, 0}, {4, 4, 8}}, {1, 1, 2}, {false, false, false}, 2);

/// A message that takes a while, whatever is done meanwhile.
class Journey {
public:
  Journey(const int& field, double takes_us, bool messages = true)
      : field_(&field), takes_us_(takes_us), messages_(messages) {}
  std::string_view name() const { return "journey"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", heddle::AccessMode::write}}; }
  void operator()(heddle::Stream&) { clock_us += takes_us_; }
  heddle::HaloSteps steps() {
    heddle::HaloSteps steps;
    steps.grid = &grid;
    steps.depth = 1;
    steps.messages = messages_;
    steps.fields = {{field_, "f", heddle::AccessMode::write}};
    steps.start = [this](heddle::Stream&) { began_us_ = clock_us; };
    steps.finish = [this](heddle::Stream&) { clock_us = std::max(clock_us, began_us_ + takes_us_); };
    return steps;
  }

private:
  const int* field_;
  double takes_us_;
  bool messages_;
  double began_us_ = 0;
};

/// A step: its interior takes a while, and its border.
class Step {
public:
  Step(const int& field, double interior_us, double border_us)
      : field_(&field), interior_us_(interior_us), border_us_(border_us) {}
  std::string_view name() const { return "step"; }
  std::vector<heddle::FieldAccess> accesses() const {
    return {{field_, "f", heddle::AccessMode::read, 1}, {field_, "f", heddle::AccessMode::write, 0}};
  }
  const heddle::BlockGrid& grid() const { return ::grid; }
  int rank() const { return 0; }
  void operator()(heddle::Stream& stream) { (*this)(stream, heddle::BlockPart()); }
  void operator()(heddle::Stream&, const heddle::BlockPart& part) {
    const bool border = part.cells == heddle::BlockPart::Cells::border;
    if (!border) ++steps;
    clock_us += border ? border_us_ : interior_us_;
  }

  std::int64_t steps = 0;

private:
  const int* field_;
  double interior_us_;
  double border_us_;
};

TEST(Overlap, IsChosenByTheClock) {
  const int field = 0;
  for (const bool pays : {true, false}) {
    // Together they take as long as the longer one; or a border of its own costs more than that saves.
    Journey journey(field, 500);
    Step step(field, 500, pays ? 0 : 501);
    TaskGraph loop({.overlap = Overlap::automatic, .unroll = 2, .clock = seconds});
    loop.add(journey);
    loop.add(step);
    EXPECT_EQ(loop.overlap().reason, "not measured yet");
    loop.run(15); // too few for a turn
    EXPECT_EQ(loop.overlap().reason, "not measured yet");
    loop.run(100);
    EXPECT_EQ(loop.overlap().reason, "not measured yet");
    loop.run(96);
    EXPECT_EQ(loop.overlap().overlap, pays) << loop.overlap().reason;
    EXPECT_TRUE(loop.overlap().reason.starts_with("measured: ")) << loop.overlap().reason;
    EXPECT_EQ(step.steps, 15 + 100 + 96);
    const std::vector<std::string> steps = loop.steps();
    EXPECT_EQ(std::ranges::count(steps, "step border"), pays ? 1 : 0);
  }
}

TEST(Overlap, IsNotMeasuredWhereItIsAskedForOrNothingTravels) {
  const int field = 0;
  for (const bool asked : {false, true}) {
    Journey journey(field, 0);
    TaskGraph loop({.overlap = asked});
    loop.add(journey);
    EXPECT_EQ(loop.overlap().overlap, asked);
    EXPECT_EQ(loop.overlap().reason, "asked for");
  }
  Journey journey(field, 0, false);
  TaskGraph loop({.overlap = Overlap::automatic});
  loop.add(journey);
  loop.run(500);
  EXPECT_FALSE(loop.overlap().overlap);
  EXPECT_EQ(loop.overlap().reason, "no exchange sends messages");
}

/// Counts the parts of its border that it is asked for.
template <bool boxes> class Counted {
public:
  explicit Counted(const int& field) : field_(&field) {}
  std::string_view name() const { return "counted"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", heddle::AccessMode::write, 1}}; }
  const heddle::BlockGrid& grid() const { return ::grid; }
  int rank() const { return 0; }
  static constexpr bool in_boxes = boxes;
  void operator()(heddle::Stream& stream) { (*this)(stream, heddle::BlockPart()); }
  void operator()(heddle::Stream&, const heddle::BlockPart& part) {
    if (part.cells == heddle::BlockPart::Cells::border) asked.push_back(part.box);
  }

  std::vector<int> asked;

private:
  const int* field_;
};

TEST(Overlap, ABorderIsAskedForBoxByBoxWhereItHasBoxes) {
  const int field = 0;
  Journey journey(field, 0);
  Counted<true> boxes(field);
  Counted<false> list(field);
  TaskGraph loop({.overlap = Overlap::on, .shuffle = 1});
  loop.add(journey);
  loop.add(boxes);
  loop.add(list);
  loop.run(1);
  std::ranges::sort(boxes.asked);
  EXPECT_EQ(boxes.asked, (std::vector<int>{0, 1})); // the faces across z
  EXPECT_EQ(list.asked, std::vector<int>{-1});
}

/// An exchange whose messages have to be looked at while something else is computed.
class Looked {
public:
  Looked(const int& field, const heddle::BlockGrid& blocks, const void* network)
      : field_(&field), grid_(&blocks), network_(network) {}
  std::string_view name() const { return "looked"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", heddle::AccessMode::write}}; }
  void operator()(heddle::Stream&) {}
  heddle::HaloSteps steps() {
    heddle::HaloSteps steps;
    steps.grid = grid_;
    steps.depth = 1;
    steps.messages = true;
    steps.fields = {{field_, "f", heddle::AccessMode::write}};
    steps.start = [](heddle::Stream&) {};
    steps.finish = [](heddle::Stream&) {};
    steps.progress = [this] { ++looks; };
    steps.network = network_;
    return steps;
  }

  int looks = 0;

private:
  const int* field_;
  const heddle::BlockGrid* grid_;
  const void* network_;
};

/// A step of which the slices of the interior are counted.
class Sliced {
public:
  Sliced(const int& field, const heddle::BlockGrid& blocks) : field_(&field), grid_(&blocks) {}
  std::string_view name() const { return "sliced"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", heddle::AccessMode::write, 1}}; }
  const heddle::BlockGrid& grid() const { return *grid_; }
  int rank() const { return 0; }
  void operator()(heddle::Stream& stream) { (*this)(stream, heddle::BlockPart()); }
  void operator()(heddle::Stream&, const heddle::BlockPart& part) {
    if (part.cells == heddle::BlockPart::Cells::interior) slices.push_back({part.slice, part.slices});
  }

  std::vector<std::array<int, 2>> slices;

private:
  const int* field_;
  const heddle::BlockGrid* grid_;
};

TEST(Overlap, LooksAtMessagesBetweenSlicesOfInteriorsThatAreLargeEnough) {
  for (const auto& [edge, slices] : {std::pair(8, 1), {16, 1}, {20, 1}, {26, 4}, {64, 8}}) {
    const heddle::BlockGrid cubes({{0, 0, 0}, {edge, edge, 2 * edge}}, {1, 1, 2}, {false, false, false}, 2);
    const int field = 0;
    const int network = 0;
    const int other = 0;
    Looked first(field, cubes, &network);
    Looked second(field, cubes, &network);
    Looked elsewhere(field, cubes, &other);
    Sliced step(field, cubes);
    TaskGraph loop({.overlap = Overlap::on});
    loop.add(first);
    loop.add(second);
    loop.add(elsewhere);
    loop.add(step);
    loop.run(1);
    ASSERT_EQ(std::ssize(step.slices), slices) << edge;
    for (int slice = 0; slice < slices; ++slice)
      EXPECT_EQ(step.slices[static_cast<std::size_t>(slice)], (std::array<int, 2>{slice, slices}));
    EXPECT_EQ(first.looks + second.looks, slices) << "one look serves all exchanges of a network";
    EXPECT_EQ(elsewhere.looks, slices);
  }
}

} // namespace
