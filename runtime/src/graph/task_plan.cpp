// SPDX-License-Identifier: Apache-2.0
#include "task_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "heddle/core/error.hpp"
#include "split_tasks.hpp"

namespace heddle {

namespace {

using Kind = TaskStep::Kind;

/// Whether the later of two steps has to wait for the earlier one. What the exchange for a sweep sends back
/// from ghost cells to their owners are values that cells of other blocks have written; in a sweep without
/// races no cell here touches these, so that they may arrive while the interior is still being computed. A
/// finish follows the border all the same; what other ranks store into the fields themselves waits for no
/// part of that sweep. In the same way, what an exchange sends before such a sweep is what cells of other
/// blocks then read and write: the interior need not wait until it has been sent.
bool conflict(const SplitStep& earlier, const SplitStep& later) {
  for (const StepAccess& x : earlier.touches) {
    const auto writer = later.writer.find(x.object);
    const bool meets_arrivals = earlier.step.kind == Kind::interior || !later.opened.empty();
    if (meets_arrivals && writer != later.writer.end() && writer->second == earlier.node) continue;
    const auto sender = later.sender.find(x.object);
    const bool sends = earlier.step.kind == Kind::start || earlier.step.kind == Kind::finish;
    if (sends && sender != later.sender.end() && sender->second == earlier.node) continue;
    for (const StepAccess& y : later.touches) {
      if (x.object == y.object && (x.writes || y.writes) && (x.regions & y.regions) != 0) return true;
    }
  }
  return false;
}

/// Mailboxes: the n-th finish that empties one comes after the n-th start that fills it, and the start after
/// that comes after it. The n-th start comes after the n-th step that opens it, where there is one.
void order_mailboxes(const std::vector<SplitStep>& list, std::vector<std::vector<std::size_t>>& before) {
  std::map<const void*, std::vector<std::size_t>> fills;
  std::map<const void*, std::vector<std::size_t>> empties;
  std::map<const void*, std::vector<std::size_t>> openings;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const void* box : list[i].filled)
      fills[box].push_back(i);
    for (const void* box : list[i].emptied)
      empties[box].push_back(i);
    for (const void* box : list[i].opened)
      openings[box].push_back(i);
  }
  for (const auto& [box, finishes] : empties) {
    const std::vector<std::size_t>& starts = fills[box];
    const std::vector<std::size_t>& open = openings[box];
    for (std::size_t n = 0; n < std::min(starts.size(), open.size()); ++n)
      before[starts[n]].push_back(open[n]);
    for (std::size_t n = 0; n < std::min(starts.size(), finishes.size()); ++n) {
      before[finishes[n]].push_back(starts[n]);
      if (n + 1 < starts.size()) before[starts[n + 1]].push_back(finishes[n]);
    }
  }
}

/// The tasks that order() puts before `task`; in place of one without cells here, those before that.
std::vector<std::size_t> demanded(std::span<const TaskNode> nodes, const std::vector<bool>& absent,
                                  std::size_t task) {
  std::vector<std::size_t> found = nodes[task].ordered;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!absent[found[i]]) continue;
    for (const std::size_t before : nodes[found[i]].ordered) {
      if (std::find(found.begin(), found.end(), before) == found.end()) found.push_back(before);
    }
  }
  return found;
}

/// What opens mailboxes runs nothing: who waits for it waits for what it would have waited for. Most of that
/// is behind the messages that have come the other way, so that ranks hardly ever wait for it.
void pass_on(const std::vector<SplitStep>& list, std::vector<std::vector<std::size_t>>& before) {
  const auto opens = [&](std::size_t i) { return !list[i].opened.empty(); };
  const auto replace = [&](std::vector<std::size_t>& one) {
    std::vector<bool> found(list.size(), false);
    for (const std::size_t i : one) {
      found[i] = found[i] || !opens(i);
      for (std::size_t k = 0; opens(i) && k < before[i].size(); ++k)
        found[before[i][k]] = true;
    }
    one.clear();
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i]) one.push_back(i);
    }
  };
  // First those that open: they may wait for each other, most often for earlier ones; in a circle no round
  // ends it.
  bool again = true;
  for (std::size_t round = 0; again && round < list.size(); ++round) {
    again = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!opens(i) || std::ranges::none_of(before[i], opens)) continue;
      replace(before[i]);
      again = true;
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!opens(i) && std::ranges::any_of(before[i], opens)) replace(before[i]);
  }
}

std::vector<std::vector<std::size_t>> dependences(const std::vector<SplitStep>& list,
                                                  std::span<const TaskNode> nodes) {
  std::vector<std::vector<std::size_t>> before(list.size());
  std::vector<bool> absent(nodes.size(), true);
  for (const SplitStep& one : list)
    absent[one.node % nodes.size()] = false;
  for (std::size_t j = 0; j < list.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (list[i].node == list[j].node) { // parts of one task touch different values
        if (list[j].step.kind == Kind::finish)
          before[j].push_back(i); // but a lane shift writes whole vectors
        continue;
      }
      // The buffer of an exchange is free again when it has been emptied.
      if (list[i].step.kind == Kind::finish && list[j].step.kind == Kind::start &&
          list[i].node % nodes.size() == list[j].node % nodes.size()) {
        before[j].push_back(i);
        continue;
      }
      // Ranks must agree on the order of exchanges, see plan_tasks.
      const bool starts = list[i].step.kind == Kind::start && !list[i].apart;
      const bool exchanges = list[j].step.kind == Kind::start || list[j].step.kind == Kind::finish;
      if ((starts && exchanges) || conflict(list[i], list[j])) before[j].push_back(i);
    }
    const std::size_t first = list[j].node / nodes.size() * nodes.size(); // of the same iteration
    for (const std::size_t task : demanded(nodes, absent, list[j].node % nodes.size())) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].node == first + task) before[j].push_back(i);
      }
    }
  }
  order_mailboxes(list, before);
  pass_on(list, before);
  return before;
}

/// A topological order that begins early what others wait for.
std::vector<std::size_t> sequence(const std::vector<SplitStep>& list,
                                  const std::vector<std::vector<std::size_t>>& before, bool device) {
  std::vector<std::size_t> missing(list.size());
  std::vector<std::vector<std::size_t>> after(list.size());
  for (std::size_t j = 0; j < list.size(); ++j) {
    missing[j] = before[j].size();
    for (const std::size_t i : before[j])
      after[i].push_back(j);
  }
  std::map<std::size_t, std::int64_t> interiors_at_start; // of an exchange
  std::int64_t interiors = 0;
  const auto turn = [&](std::size_t i) {
    switch (list[i].step.kind) {
    case Kind::start:
      return 0;
    case Kind::border:
      return 1;
    case Kind::whole:
      return 3;
    case Kind::interior:
      return 4;
    case Kind::finish:
      break;
    }
    // On the host, an exchange is finished once something has been computed meanwhile, so that the next
    // interior is left for the next exchange. On a device all that is independent is put into its stream
    // first.
    return !device && interiors > interiors_at_start[list[i].step.exchange] ? 2 : 5;
  };
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (missing[i] == 0) ready.push_back(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const auto next = std::min_element(ready.begin(), ready.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(turn(a), list[a].node) < std::pair(turn(b), list[b].node);
    });
    const std::size_t i = *next;
    ready.erase(next);
    order.push_back(i);
    if (list[i].step.kind == Kind::start) interiors_at_start[list[i].step.exchange] = interiors;
    if (list[i].step.kind == Kind::interior) ++interiors;
    for (const std::size_t j : after[i]) {
      if (--missing[j] == 0) ready.push_back(j);
    }
  }
  return order;
}

} // namespace

std::vector<TaskStep> plan_tasks(std::span<const TaskNode> nodes, const PlanOptions& options) {
  std::vector<SplitStep> list = split_tasks(nodes, options);
  const std::vector<std::vector<std::size_t>> before = dependences(list, nodes);
  std::vector<std::size_t> order = sequence(list, before, options.device);
  if (order.size() != list.size()) {
    std::string waiting;
    for (std::size_t i = 0; i < list.size() && waiting.empty(); ++i) {
      if (std::ranges::find(order, i) == order.end()) waiting = list[i].step.name;
    }
    throw Error("TaskGraph", "'" + waiting + "' and other tasks wait for each other: a deadlock",
                "check that order(), or an object that tasks of several ranks access, does not contradict "
                "the order of their exchanges");
  }
  std::erase_if(order, [&](std::size_t i) { return !list[i].opened.empty(); });

  // Without dependences that follow from others.
  std::vector<std::size_t> place(list.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    place[order[k]] = k;
  std::vector<std::vector<bool>> behind(list.size(), std::vector<bool>(list.size(), false));
  std::vector<TaskStep> steps;
  for (const std::size_t j : order) {
    std::vector<std::size_t> direct = before[j];
    std::sort(direct.begin(), direct.end(),
              [&](std::size_t a, std::size_t b) { return place[a] > place[b]; });
    std::vector<std::size_t> kept;
    for (const std::size_t i : direct) { // latest first
      if (behind[place[j]][place[i]]) continue;
      kept.push_back(place[i]);
      behind[place[j]][place[i]] = true;
      for (std::size_t k = 0; k < place[i]; ++k) {
        if (behind[place[i]][k]) behind[place[j]][k] = true;
      }
    }
    std::sort(kept.begin(), kept.end());
    steps.push_back(std::move(list[j].step));
    steps.back().predecessors = std::move(kept);
  }
  return steps;
}

} // namespace heddle
