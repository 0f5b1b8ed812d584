// SPDX-License-Identifier: Apache-2.0
// How far a plan takes interiors apart, and what the parts wait for. That any order which it allows gives the
// same bits is tested with kernels (lbm_blocks).
#include "task_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "heddle/block_grid.hpp"
#include "heddle/box.hpp"
#include "interior_slabs.hpp"

namespace {

using heddle::AccessMode;
using heddle::BlockGrid;
using heddle::TaskNode;
using heddle::TaskStep;
using Kind = heddle::TaskStep::Kind;

constexpr std::array<int, 3> no_border{0, 0, 0};

TEST(InteriorSlabs, AreAsManyAsTheirThicknessAllows) {
  const BlockGrid grid(heddle::Box{{0, 0, 0}, {4, 4, 12}});
  EXPECT_EQ(heddle::interior_slabs(grid, 0, no_border, 1, 4), 4);
  EXPECT_EQ(heddle::interior_slabs(grid, 0, no_border, 1, 100), heddle::most_slabs);
  EXPECT_EQ(heddle::interior_slabs(grid, 0, no_border, 3, 8), 4); // of 3 layers each
  EXPECT_EQ(heddle::interior_slabs(grid, 0, {0, 0, 2}, 2, 8), 4); // of the 8 layers within the border
  EXPECT_EQ(heddle::interior_slabs(grid, 0, no_border, 5, 8), 1); // two would wait for each other
  EXPECT_EQ(heddle::interior_slabs(grid, 0, {2, 0, 0}, 1, 4), 1); // no interior
  EXPECT_EQ(heddle::interior_slabs(grid, 0, no_border, 0, 0), 1); // too small to be worth it
  const BlockGrid large(heddle::Box{{0, 0, 0}, {128, 128, 64}});
  EXPECT_EQ(heddle::interior_slabs(large, 0, no_border, 1, 0), 4);
  EXPECT_EQ(heddle::interior_slabs(large, 0, {1, 0, 0}, 1, 0), 1); // 126 * 128 * 64: less than 2^18 each
  EXPECT_EQ(heddle::interior_slabs(large, 0, no_border, 1, 1), 1);
}

/// Two steps to and fro between two arrays and the exchange before each, on rank 0 of two that lie along x.
class ToAndFro {
public:
  ToAndFro() : grid_(heddle::Box{{0, 0, 0}, {8, 4, 10}}, {2, 1, 1}, {false, false, false}, 2) {}

  std::vector<TaskStep> plan(bool boxes, const heddle::PlanOptions& options) const {
    std::vector<TaskNode> nodes;
    add(nodes, boxes, &f_, &g_);
    add(nodes, boxes, &g_, &f_);
    return plan_tasks(nodes, options);
  }

private:
  void add(std::vector<TaskNode>& nodes, bool boxes, const int* from, const int* to) const {
    TaskNode& exchange = nodes.emplace_back();
    exchange.name = "halo";
    exchange.memory = heddle::Memory::device;
    exchange.halo = [this, from] {
      heddle::HaloSteps steps;
      steps.grid = &grid_;
      steps.depth = 1;
      steps.messages = true;
      steps.fields = {{from, "", AccessMode::read}, {from, "", AccessMode::write}};
      steps.start = steps.finish = [](heddle::Stream&) {};
      return steps;
    };
    TaskNode& step = nodes.emplace_back();
    step.name = "step";
    step.memory = heddle::Memory::device;
    step.accesses = {{from, "", AccessMode::read, 1}, {to, "", AccessMode::write, 0}};
    step.parts = TaskNode::Parts{&grid_, 0, [](heddle::Stream&, const heddle::BlockPart&) {}, {}, boxes};
  }

  BlockGrid grid_;
  int f_ = 0; // their addresses alone
  int g_ = 0;
};

std::vector<std::size_t> interiors(const std::vector<TaskStep>& steps) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == Kind::interior) found.push_back(i);
  }
  return found;
}

TEST(TaskPlan, ASlabWaitsForItsNeighboursOfTheStepBeforeAlone) {
  constexpr int slabs = 5;
  const std::vector<TaskStep> steps =
      ToAndFro().plan(true, {.device = true, .iterations = 2, .fine = true, .slabs = slabs});
  const std::vector<std::size_t> parts = interiors(steps);
  ASSERT_EQ(parts.size(), 4U * slabs);
  for (int later = 1; later < 4; ++later) {
    for (int slab = 0; slab < slabs; ++slab) {
      const TaskStep& step = steps[parts[static_cast<std::size_t>(later * slabs + slab)]];
      for (int other = 0; other < slabs; ++other) {
        const std::size_t before = parts[static_cast<std::size_t>((later - 1) * slabs + other)];
        EXPECT_EQ(std::ranges::count(step.predecessors, before), std::abs(other - slab) <= 1 ? 1 : 0)
            << "step " << later << ", slabs " << slab << " and " << other;
      }
    }
  }
}

TEST(TaskPlan, LeavesInteriorsWholeThatAreNoBoxesOrWhereStepsCost) {
  EXPECT_EQ(interiors(ToAndFro().plan(false, {.device = true, .fine = true, .slabs = 5})).size(), 2U);
  EXPECT_EQ(interiors(ToAndFro().plan(true, {.device = true, .slabs = 5})).size(), 2U);
  EXPECT_EQ(interiors(ToAndFro().plan(true, {.device = true, .fine = true})).size(), 2U); // small
}

} // namespace
