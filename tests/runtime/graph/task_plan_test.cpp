// SPDX-License-Identifier: Apache-2.0
// How far a plan takes interiors apart, and what the parts wait for. That any order which it allows gives the
// same bits is tested with kernels (lbm_blocks).
#include "graph/task_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "graph/interior_tiles.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/box.hpp"

namespace {

using heddle::AccessMode;
using heddle::BlockGrid;
using heddle::TaskNode;
using heddle::TaskStep;
using Kind = heddle::TaskStep::Kind;

constexpr std::array<int, 3> no_border{0, 0, 0};

TEST(InteriorTiles, AreAsManyAsTheirThicknessAllows) {
  const BlockGrid grid(heddle::Box{{0, 0, 0}, {4, 4, 12}});
  EXPECT_EQ(heddle::interior_tiles(grid, 0, no_border, 1, 4), 4);
  EXPECT_EQ(heddle::interior_tiles(grid, 0, no_border, 1, 100), heddle::max_interior_tiles);
  EXPECT_EQ(heddle::interior_tiles(grid, 0, no_border, 3, 8), 4); // of 3 layers each
  EXPECT_EQ(heddle::interior_tiles(grid, 0, {0, 0, 2}, 2, 8), 4); // of the 8 layers within the border
  EXPECT_EQ(heddle::interior_tiles(grid, 0, no_border, 5, 8), 1); // two would wait for each other
  EXPECT_EQ(heddle::interior_tiles(grid, 0, {2, 0, 0}, 1, 4), 1); // no interior
  EXPECT_EQ(heddle::interior_tiles(grid, 0, no_border, 0, 0), 1); // too small to be worth it
  const BlockGrid large(heddle::Box{{0, 0, 0}, {128, 128, 64}});
  EXPECT_EQ(heddle::interior_tiles(large, 0, no_border, 1, 0), 4);
  EXPECT_EQ(heddle::interior_tiles(large, 0, {1, 0, 0}, 1, 0), 1); // 126 * 128 * 64: less than 2^18 each
  EXPECT_EQ(heddle::interior_tiles(large, 0, no_border, 1, 1), 1);
}

/// What rank 0 of two that lie along x does with its half of some arrays.
class Half {
public:
  Half() : grid_(heddle::Box{{0, 0, 0}, {8, 4, 10}}, {2, 1, 1}, {false, false, false}, 2) {}

  /// change: what is not as with an exchange to ghost cells that has nothing to wrap.
  void exchange(const int* field, const char* name = "step before",
                const std::function<void(heddle::HaloSteps&)>& change = {}) {
    heddle::HaloSteps steps;
    steps.grid = &grid_;
    steps.depth = 1;
    steps.messages = true;
    steps.fields = {{field, "", AccessMode::read}, {field, "", AccessMode::write}};
    steps.start = steps.finish = [](heddle::Stream&) {};
    if (change) change(steps);
    TaskNode& node = nodes_.emplace_back();
    node.name = name;
    node.memory = heddle::Memory::device;
    node.halo = [steps] { return steps; };
  }

  void step(std::vector<TaskNode::Access> accesses, bool boxes = true) {
    TaskNode& node = nodes_.emplace_back();
    node.name = "step";
    node.memory = heddle::Memory::device;
    node.accesses = std::move(accesses);
    node.parts = TaskNode::Parts{&grid_, 0, [](heddle::Stream&, const heddle::BlockPart&) {}, {}, boxes};
  }

  [[nodiscard]] std::vector<TaskStep> plan(const heddle::PlanOptions& options) const {
    return plan_tasks(nodes_, options);
  }

private:
  BlockGrid grid_;
  std::vector<TaskNode> nodes_;
};

/// Two steps to and fro between two arrays and the exchange before each.
std::vector<TaskStep> to_and_fro(bool boxes, const heddle::PlanOptions& options) {
  const int f = 0; // an address alone
  const int g = 0;
  Half half;
  half.exchange(&f);
  half.step({{&f, "", AccessMode::read, 1}, {&g, "", AccessMode::write, 0}}, boxes);
  half.exchange(&g);
  half.step({{&g, "", AccessMode::read, 1}, {&f, "", AccessMode::write, 0}}, boxes);
  return half.plan(options);
}

std::vector<std::size_t> interiors(const std::vector<TaskStep>& steps) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == Kind::interior) found.push_back(i);
  }
  return found;
}

TEST(TaskPlan, ASlabWaitsForItsNeighboursOfTheStepBeforeAlone) {
  constexpr int tiles = 5;
  const std::vector<TaskStep> steps =
      to_and_fro(true, {.device = true, .iterations = 2, .fine = true, .interior_tiles = tiles});
  const std::vector<std::size_t> parts = interiors(steps);
  ASSERT_EQ(parts.size(), 4U * tiles);
  const auto place = [](int step, int tile) {
    return static_cast<std::size_t>(step) * tiles + static_cast<std::size_t>(tile);
  };
  for (int later = 1; later < 4; ++later) {
    for (int tile = 0; tile < tiles; ++tile) {
      const TaskStep& step = steps[parts[place(later, tile)]];
      for (int other = 0; other < tiles; ++other) {
        const std::size_t before = parts[place(later - 1, other)];
        EXPECT_EQ(std::ranges::count(step.predecessors, before), std::abs(other - tile) <= 1 ? 1 : 0)
            << "step " << later << ", tiles " << tile << " and " << other;
      }
    }
  }
}

TEST(TaskPlan, LeavesInteriorsWholeThatAreNoBoxesOrWhereStepsCost) {
  EXPECT_EQ(interiors(to_and_fro(false, {.device = true, .fine = true, .interior_tiles = 5})).size(), 2U);
  EXPECT_EQ(interiors(to_and_fro(true, {.device = true, .interior_tiles = 5})).size(), 2U);
  EXPECT_EQ(interiors(to_and_fro(true, {.device = true, .fine = true})).size(), 2U); // small
}

TEST(TaskPlan, WhatIsSentBeforeASweepInPlaceHoldsUpItsBorderAlone) {
  const int f = 0;
  Half half;
  half.exchange(&f);
  half.step({{&f, "", AccessMode::read, 1}, {&f, "", AccessMode::write, 1}});
  const auto waits_for = [steps = half.plan({.device = true})](Kind part, Kind earlier) {
    const auto step = std::ranges::find(steps, part, &TaskStep::kind);
    return std::ranges::any_of(step->predecessors, [&](std::size_t p) { return steps[p].kind == earlier; });
  };
  EXPECT_FALSE(waits_for(Kind::interior, Kind::start)); // cells of other blocks write what is sent
  EXPECT_TRUE(waits_for(Kind::finish, Kind::start));
  EXPECT_TRUE(waits_for(Kind::border, Kind::finish));
}

/// Whether the step of one name follows that of another one, directly or not.
bool follows(const std::vector<TaskStep>& steps, const std::string& later, const std::string& earlier) {
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(steps, name, &TaskStep::name) - steps.begin());
  };
  std::vector<std::size_t> before{place(later)};
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::vector<std::size_t>& more = steps.at(before[i]).predecessors;
    before.insert(before.end(), more.begin(), more.end());
  }
  return std::find(before.begin() + 1, before.end(), place(earlier)) != before.end();
}

TEST(TaskPlan, ExchangesWithOtherBordersWriteTheSameGhostCellsOneAfterTheOther) {
  // Ghost cells beyond faces across y: one moves them within the rank, the other one as part of its border,
  // as where lanes of a vector follow each other along y.
  const int f = 0;
  const auto narrow = [](heddle::HaloSteps& steps) { steps.wrap = steps.start; };
  const auto wide = [](heddle::HaloSteps& steps) {
    steps.wrap = steps.start;
    steps.border = {false, true, false};
  };
  Half one;
  one.exchange(&f, "narrow", narrow);
  one.exchange(&f, "wide", wide);
  EXPECT_TRUE(follows(one.plan({.device = true}), "wide finish", "narrow wrap"));
  EXPECT_FALSE(follows(one.plan({.device = true}), "wide wrap", "narrow finish")); // beyond other faces
  Half other;
  other.exchange(&f, "wide", wide);
  other.exchange(&f, "narrow", narrow);
  EXPECT_TRUE(follows(other.plan({.device = true}), "narrow wrap", "wide finish"));
}

TEST(TaskPlan, WhatComesBackAfterASweepMeetsItsInteriorIfTheExchangeIsItsOwn) {
  const int f = 0;
  for (const bool own : {true, false}) {
    Half half;
    half.step({{&f, "", AccessMode::read, 1}, {&f, "", AccessMode::write, 1}});
    half.exchange(&f, own ? "step after" : "other after",
                  [](heddle::HaloSteps& steps) { steps.toward_owners = true; });
    const std::vector<TaskStep> steps = half.plan({.device = true});
    EXPECT_EQ(follows(steps, own ? "step after finish" : "other after finish", "step interior"), !own);
  }
}

TEST(TaskPlan, TakesInteriorsApartWhereNothingIsExchanged) {
  const int f = 0;
  Half half;
  half.step({{&f, "", AccessMode::read, 1}, {&f, "", AccessMode::write, 1}});
  half.step({{&f, "", AccessMode::read, 0}, {&f, "", AccessMode::write, 0}});
  const std::vector<TaskStep> steps = half.plan({.device = true, .fine = true, .interior_tiles = 4});
  ASSERT_EQ(steps.size(), 8U);
  EXPECT_EQ(steps[4].predecessors, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(steps[7].predecessors, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(half.plan({.overlap = false, .device = true, .fine = true, .interior_tiles = 4}).size(), 2U);
}

} // namespace
