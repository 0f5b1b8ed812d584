// SPDX-License-Identifier: Apache-2.0
// In plans of tasks drawn at random: of two steps that touch the same value, of which one writes it, the one
// whose task was added earlier comes first, whatever order the plan allows.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "../../support/random_tasks.hpp"
#include "graph/task_plan.hpp"

namespace {

using heddle::TaskStep;
using random_tasks::Note;
using random_tasks::Tasks;
using random_tasks::Touched;
using random_tasks::Values;
using Kind = heddle::TaskStep::Kind;

/// For each step all that it follows, directly or not.
std::vector<Values> all_before(const std::vector<TaskStep>& steps) {
  std::vector<Values> before(steps.size(), Values(steps.size()));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const std::size_t p : steps[i].predecessors) {
      before[i].add(p);
      before[i].add(before[p]);
    }
  }
  return before;
}

/// What is known of the steps of a plan by running them.
class Plan {
public:
  Plan(Tasks& tasks, const heddle::PlanOptions& options)
      : tasks_(&tasks), steps_(plan_tasks(tasks.nodes(), options)), before_(all_before(steps_)) {
    std::map<std::vector<Note>, std::size_t> numbers;
    for (const TaskStep& step : steps_) {
      const std::vector<Note> notes = tasks.notes_of(step.run);
      const auto [place, is_new] = numbers.try_emplace(notes, parts_.size());
      if (is_new) parts_.push_back({tasks.touched(notes), notes.front().node});
      Part& part = parts_[place->second];
      const bool finishes = notes.front().what == Note::What::finish;
      known_.push_back({place->second, part.node, {part.iterations++, tasks.task(part.node), finishes}});
    }
    conflicts_.resize(parts_.size() * parts_.size(), -1);
  }

  /// Each iteration does all of each task.
  void expect_complete(std::int64_t iterations) {
    const Touched nothing = tasks_->touched({});
    std::vector<Touched> done(tasks_->nodes().size(), nothing);
    for (const Part& part : parts_) {
      EXPECT_EQ(part.iterations, iterations);
      done[part.node].add(part.touched);
    }
    for (std::size_t node = 0; node < done.size(); ++node)
      EXPECT_TRUE(done[node] == tasks_->all_of(node)) << tasks_->nodes()[node].name;
  }

  void expect_order() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      for (const std::size_t p : steps_[i].predecessors)
        ASSERT_LT(p, i); // so that the list is an order
      for (std::size_t k = 0; k < steps_.size(); ++k) {
        if (i == k || before_[i].has(k) || !has_to_follow(i, k)) continue;
        ADD_FAILURE() << described(i) << " does not wait for " << described(k);
        return;
      }
    }
  }

  [[nodiscard]] const std::vector<TaskStep>& steps() const { return steps_; }

private:
  struct Part {
    Touched touched;
    std::size_t node;
    std::int64_t iterations = 0;
  };
  struct Known {
    std::size_t part;
    std::size_t node;
    std::tuple<std::int64_t, std::size_t, bool> place; // iteration, task, whether it is what ends an exchange
  };

  [[nodiscard]] bool conflict(std::size_t one, std::size_t other) {
    signed char& known = conflicts_[one * parts_.size() + other];
    if (known < 0) known = parts_[one].touched.conflicts(parts_[other].touched) ? 1 : 0;
    return known == 1;
  }

  [[nodiscard]] bool has_to_follow(std::size_t later, std::size_t earlier) {
    const Known& x = known_[earlier];
    const Known& y = known_[later];
    const auto& [iteration, task, finishes] = y.place;
    const bool one_task = std::get<0>(x.place) == iteration && std::get<1>(x.place) == task;
    if (one_task && x.node == y.node) return finishes && !std::get<2>(x.place);
    // What several ranks do in one iteration of a task, before one of them finishes, has nothing in common.
    if (x.place == y.place) return conflict(x.part, y.part);
    if (y.place < x.place) return false;
    if (std::get<0>(x.place) == iteration && tasks_->demanded(x.node, y.node)) return true;
    // So that ranks do not wait for each other: exchanges start in the order of add, and none is finished
    // before those that were added earlier have started.
    const bool starts = steps_[earlier].kind == Kind::start;
    const bool exchanges = steps_[later].kind == Kind::start || steps_[later].kind == Kind::finish;
    return (starts && exchanges && !tasks_->apart()) || conflict(x.part, y.part);
  }

  [[nodiscard]] std::string described(std::size_t step) const {
    return "'" + steps_[step].name + "' (step " + std::to_string(step) + ", iteration " +
           std::to_string(std::get<0>(known_[step].place)) + ")";
  }

  Tasks* tasks_;
  std::vector<TaskStep> steps_;
  std::vector<Values> before_;
  std::vector<Part> parts_;
  std::vector<Known> known_;           // of each step
  std::vector<signed char> conflicts_; // of two parts; -1: not known yet
};

TEST(TaskOrder, IsThatOfAddWhereTwoStepsTouchTheSameValues) {
  std::map<Kind, int> drawn;
  for (unsigned seed = 0; seed < 1200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Tasks tasks(seed);
    const heddle::PlanOptions options{.overlap = tasks.drawn(0, 4) != 0,
                                      .device = tasks.drawn(0, 1) == 0,
                                      .iterations = tasks.drawn(1, 4),
                                      .fine = tasks.drawn(0, 3) != 0,
                                      .interior_tiles = tasks.drawn(0, 8)};
    Plan plan(tasks, options);
    plan.expect_complete(options.iterations);
    plan.expect_order();
    for (const TaskStep& step : plan.steps())
      ++drawn[step.kind];
  }
  for (const Kind kind : {Kind::start, Kind::border, Kind::whole, Kind::interior, Kind::finish})
    EXPECT_GT(drawn[kind], 1000); // so that all of this has been looked at
}

} // namespace
