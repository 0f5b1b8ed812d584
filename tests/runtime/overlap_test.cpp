// SPDX-License-Identifier: Apache-2.0
// A graph that finds out for itself whether to compute interiors while messages travel.
#include "heddle/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "heddle/block_grid.hpp"
#include "heddle/block_part.hpp"
#include "heddle/field_access.hpp"
#include "heddle/halo_steps.hpp"
#include "heddle/task_graph.hpp"

namespace {

using heddle::Overlap;
using heddle::TaskGraph;
using std::chrono::microseconds;
using Clock = std::chrono::steady_clock;

const heddle::BlockGrid grid({{0, 0, 0}, {4, 4, 8}}, {1, 1, 2}, {false, false, false}, 2);

/// A message that takes a while, whatever is done meanwhile.
class Journey {
public:
  Journey(const int& field, microseconds takes, bool messages = true)
      : field_(&field), takes_(takes), messages_(messages) {}
  std::string_view name() const { return "journey"; }
  std::vector<heddle::FieldAccess> accesses() const { return {{field_, "f", heddle::AccessMode::write}}; }
  void operator()(heddle::Stream&) { std::this_thread::sleep_for(takes_); }
  heddle::HaloSteps steps() {
    heddle::HaloSteps steps;
    steps.grid = &grid;
    steps.depth = 1;
    steps.messages = messages_;
    steps.fields = {{field_, "f", heddle::AccessMode::write}};
    steps.start = [this](heddle::Stream&) { began_ = Clock::now(); };
    steps.finish = [this](heddle::Stream&) { std::this_thread::sleep_until(began_ + takes_); };
    return steps;
  }

private:
  const int* field_;
  microseconds takes_;
  bool messages_;
  Clock::time_point began_;
};

/// A step: its interior takes a while, and its border.
class Step {
public:
  Step(const int& field, microseconds interior, microseconds border)
      : field_(&field), interior_(interior), border_(border) {}
  std::string_view name() const { return "step"; }
  std::vector<heddle::FieldAccess> accesses() const {
    return {{field_, "f", heddle::AccessMode::read, 1}, {field_, "f", heddle::AccessMode::write, 1}};
  }
  const heddle::BlockGrid& grid() const { return ::grid; }
  int rank() const { return 0; }
  void operator()(heddle::Stream& stream) { (*this)(stream, heddle::BlockPart()); }
  void operator()(heddle::Stream&, const heddle::BlockPart& part) {
    const bool border = part.cells == heddle::BlockPart::Cells::border;
    if (!border) ++steps;
    std::this_thread::sleep_for(border ? border_ : interior_);
  }

  std::int64_t steps = 0;

private:
  const int* field_;
  microseconds interior_;
  microseconds border_;
};

TEST(Overlap, IsChosenByTheClock) {
  const int field = 0;
  for (const bool pays : {true, false}) {
    // Together they take as long as the longer one; or a border of its own costs more than that saves.
    Journey journey(field, microseconds(500));
    Step step(field, microseconds(500), microseconds(pays ? 0 : 2000));
    TaskGraph loop({.overlap = Overlap::automatic, .unroll = 2});
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
    Journey journey(field, microseconds(0));
    TaskGraph loop({.overlap = asked});
    loop.add(journey);
    EXPECT_EQ(loop.overlap().overlap, asked);
    EXPECT_EQ(loop.overlap().reason, "asked for");
  }
  Journey journey(field, microseconds(0), false);
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
  Journey journey(field, microseconds(0));
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

} // namespace
