// SPDX-License-Identifier: Apache-2.0
#include "task_plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "heddle/error.hpp"
#include "interior_slabs.hpp"

namespace heddle {

namespace {

using Kind = TaskStep::Kind;

/// Regions of a field, a bit each: cells of the border, ghost cells by the axes across whose faces they lie
/// (an exchange has borders of its own, so that what one lets come with its messages another one moves within
/// this rank), and the interior cells, slab by slab.
enum Region : unsigned {
  border = 1,
  ghosts = 0xfe, // 1 << n: beyond faces across the axes d with 1 << d in n
  interior = ((1U << most_slabs) - 1) << 8,
  everywhere = border | ghosts | interior
};

/// The ghost cells that lie beyond no face of a border across these axes: only blocks of this rank fill them.
unsigned rim(const std::array<bool, 3>& border_axes) {
  unsigned found = 0;
  for (unsigned beyond = 1; beyond < 8; ++beyond) {
    bool across_border = false;
    for (std::size_t d = 0; d < 3; ++d)
      across_border = across_border || (border_axes[d] && (beyond >> d & 1U) != 0);
    if (!across_border) found |= 1U << beyond;
  }
  return found;
}

std::array<bool, 3> united(const std::array<bool, 3>& one, const std::array<bool, 3>& other) {
  return {one[0] || other[0], one[1] || other[1], one[2] || other[2]};
}

/// The slabs of an interior that a part of it touches, itself and so many on both sides.
unsigned slabs_of(const BlockPart& part, int neighbours) {
  if (part.slices == 1) return interior;
  const int last = std::min(part.slice + neighbours, part.slices - 1);
  unsigned found = 0;
  for (int slab = std::max(part.slice - neighbours, 0); slab <= last; ++slab)
    found |= 0x100U << slab;
  return found;
}

struct Touch {
  const void* object;
  bool writes;
  unsigned regions;
};

/// A step with what the order follows from.
struct Draft {
  TaskStep step;
  std::size_t node;
  std::vector<Touch> touches;
  std::vector<const void*> filled;
  std::vector<const void*> emptied;
  std::vector<const void*> opened;
  bool apart = false; // of a start: ordered by mailboxes alone, of which it may fill none
  /// Of a finish toward owners, and what opens it, for each field that the sweep before wrote beyond its
  /// blocks: that sweep, if the exchange is the one for it, "... after".
  std::map<const void*, std::size_t> writer{};
  /// Of an interior, for each field that its sweep writes beyond the own cells: the exchange for that sweep,
  /// "... before".
  std::map<const void*, std::size_t> sender{};
};

/// Which part of a field a part of a sweep touches that reaches `reach` cells beyond its own.
unsigned regions(const TaskNode::Access& access, const BlockPart& part) {
  if (access.reach == FieldAccess::anywhere) return everywhere;
  const bool beyond = access.reach > 0;
  if (part.cells == BlockPart::Cells::border) return beyond ? everywhere : border;
  if (!beyond) return slabs_of(part, 0);
  return border | rim({part.width[0] > 0, part.width[1] > 0, part.width[2] > 0}) | slabs_of(part, 1);
}

class Drafts {
public:
  Drafts(std::span<const TaskNode> nodes, const PlanOptions& options) : options_(options) {
    for (const TaskNode& node : nodes) {
      halos_.push_back(node.halo ? node.halo() : HaloSteps{});
      HaloSteps& halo = halos_.back();
      splits_ = splits_ || (halo.messages && options.overlap);
      exchanges_ = exchanges_ || halo.grid != nullptr;
      if (halo.grid != nullptr) {
        halo.border = united(halo.border, axes_to_other_ranks(*halo.grid, halo.rank));
        widen(*halo.grid, halo.rank, halo.border);
      }
      if (halo.progress) progress_.push_back(halo.progress);
      width_ = std::max(width_, halo.depth);
      if (!node.parts) continue;
      widen(*node.parts->grid, node.parts->rank, {});
      for (const TaskNode::Access& access : node.accesses)
        width_ = std::max(width_, access.reach);
    }
  }

  void add(const TaskNode& node, std::size_t number, std::size_t place) {
    const HaloSteps& halo = halos_[number];
    if (node.parts && !node.parts->any(BlockPart())) return; // all its cells are elsewhere
    if (halo.messages && (splits_ || halo.apart))
      add_exchange(node, halo, place);
    else if (splits_ && node.parts && has_border(*node.parts))
      add_parts(node, place);
    else if (!exchanges_ && node.parts && options_.overlap && slabs(node, BlockPart()) > 1)
      add_slabs(node, place, {.cells = BlockPart::Cells::interior}); // without a border: nobody asks for one
    else
      add_whole(node, halo, place);
  }

  std::vector<Draft> list;

private:
  /// The axes across which the blocks that a rank has of a grid have borders. Fields have grids of their own,
  /// most often equal ones.
  struct Borders {
    const BlockGrid* grid;
    int rank;
    std::array<bool, 3> axes;

    [[nodiscard]] bool are_of(const BlockGrid& other, int other_rank) const {
      return rank == other_rank && (grid == &other || *grid == other);
    }
  };

  /// The blocks of a rank have borders across these axes, too, besides those that lead to other ranks.
  void widen(const BlockGrid& grid, int rank, const std::array<bool, 3>& more) {
    auto place = std::ranges::find_if(borders_, [&](const Borders& one) { return one.are_of(grid, rank); });
    if (place == borders_.end())
      place = borders_.insert(place, Borders{&grid, rank, axes_to_other_ranks(grid, rank)});
    place->axes = united(place->axes, more);
  }

  /// Across which axes the blocks of a sweep have a border.
  [[nodiscard]] const std::array<bool, 3>& border_axes(const TaskNode::Parts& parts) const {
    return std::ranges::find_if(borders_,
                                [&](const Borders& one) { return one.are_of(*parts.grid, parts.rank); })
        ->axes;
  }

  /// Slabs lie alike in all that a rank has; not where it has fields on different grids.
  [[nodiscard]] int slabs(const TaskNode& node, const BlockPart& part) const {
    const bool progresses = !progress_.empty() && node.memory != Memory::device;
    const auto grids =
        std::ranges::count_if(borders_, [&](const Borders& one) { return one.rank == node.parts->rank; });
    if (!options_.fine || !node.parts->boxes || progresses || grids > 1) return 1;
    return interior_slabs(*node.parts->grid, node.parts->rank, part.width, width_, options_.slabs);
  }

  [[nodiscard]] bool has_border(const TaskNode::Parts& parts) const {
    const std::array<bool, 3>& axes = border_axes(parts);
    return axes[0] || axes[1] || axes[2];
  }

  Draft& draft(const TaskNode& node, std::size_t place, const char* suffix, Kind kind) {
    Draft& one = list.emplace_back();
    one.node = place;
    one.step.name = node.name + suffix;
    one.step.kind = kind;
    one.step.memory = node.memory;
    one.step.waits = node.memory != Memory::device;
    one.step.device = node.device;
    return one;
  }

  void add_whole(const TaskNode& node, const HaloSteps& halo, std::size_t place) {
    Draft& one = draft(node, place, "", Kind::whole);
    one.step.run = node.function;
    one.step.waits_for = halo.waits_for;
    one.step.give_up = halo.give_up;
    for (const TaskNode::Access& access : node.accesses)
      one.touches.push_back({access.object, access.mode == AccessMode::write, everywhere});
    note_touched(node, place);
  }

  void add_exchange(const TaskNode& node, const HaloSteps& halo, std::size_t place) {
    const auto touch = [&](Draft& one, bool writes, unsigned where) {
      one.step.waits = false; // waits for what it needs itself
      for (const FieldAccess& field : halo.fields) {
        if (field.mode == AccessMode::write) one.touches.push_back({field.object, writes, where});
      }
    };
    const unsigned own = border | interior;
    const unsigned wrapped = rim(halo.border);
    const unsigned beyond = ghosts & ~wrapped; // the border
    const unsigned arrival = halo.toward_owners ? unsigned{border} : beyond;
    // wrap, and what finish does within this rank, touch one lane of vectors whose others come from
    // elsewhere, where that lane ends at a wall: no other step touches it, and it is written alone.
    if (!halo.opened.empty()) {
      Draft& ready = draft(node, place, " ready", Kind::whole); // is no step, see pass_on
      ready.opened = halo.opened;
      touch(ready, true, arrival);
      if (halo.toward_owners) ready.writer = writers_of(node, halo);
    }
    for (const FieldAccess& field : halo.fields) {
      if (!halo.toward_owners) sent_before_[field.object] = {place, &node.name};
    }
    Draft& start = draft(node, place, " start", Kind::start);
    start.step.exchange = place;
    start.step.run = halo.start;
    start.filled = halo.filled;
    start.apart = halo.apart;
    touch(start, false, halo.toward_owners ? beyond : unsigned{border});
    if (halo.wrap) {
      Draft& wrap = draft(node, place, " wrap", Kind::whole);
      wrap.step.run = halo.wrap;
      touch(wrap, false, halo.toward_owners ? wrapped : own);
      touch(wrap, true, halo.toward_owners ? own : wrapped);
    }
    Draft& finish = draft(node, place, " finish", Kind::finish);
    finish.step.exchange = place;
    finish.step.run = halo.finish;
    finish.step.waits_for = halo.waits_for;
    finish.step.give_up = halo.give_up;
    finish.emptied = halo.emptied;
    touch(finish, true, arrival);
    touch(finish, false,
          halo.toward_owners ? beyond : unsigned{border}); // from there lanes pass on what arrives in others
    if (halo.toward_owners) {
      finish.writer = writers_of(node, halo);
      for (const FieldAccess& field : halo.fields)
        wrote_beyond_.erase(field.object);
    }
  }

  /// The sweep that wrote beyond its blocks what an exchange takes to its owners, for each field.
  [[nodiscard]] std::map<const void*, std::size_t> writers_of(const TaskNode& node,
                                                              const HaloSteps& halo) const {
    std::map<const void*, std::size_t> writers;
    for (const FieldAccess& field : halo.fields) {
      const auto wrote = wrote_beyond_.find(field.object);
      if (wrote != wrote_beyond_.end() && node.name == *wrote->second.name + " after")
        writers.emplace(wrote->first, wrote->second.place);
    }
    return writers;
  }

  void add_parts(const TaskNode& node, std::size_t place) {
    BlockPart part;
    const std::array<bool, 3>& axes = border_axes(*node.parts);
    for (std::size_t d = 0; d < 3; ++d)
      part.width[d] = axes[d] ? width_ : 0;
    part.cells = BlockPart::Cells::border;
    const bool box_by_box = options_.fine && node.parts->boxes;
    const int boxes = box_by_box ? border_boxes(*node.parts, part) : 1;
    for (int box = 0; box < boxes; ++box) {
      part.box = box_by_box ? box : -1;
      add_part(node, place, part);
    }
    part.box = -1;
    part.cells = BlockPart::Cells::interior;
    add_slabs(node, place, part);
    note_touched(node, place);
  }

  /// One that is all of it where it is not taken apart.
  void add_slabs(const TaskNode& node, std::size_t place, BlockPart part) {
    part.slices = slabs(node, part);
    for (part.slice = 0; part.slice < part.slices; ++part.slice)
      add_part(node, place, part);
  }

  /// Of the block whose border has the most.
  [[nodiscard]] static int border_boxes(const TaskNode::Parts& parts, const BlockPart& border) {
    std::size_t most = 0;
    for (int block = parts.grid->first_block(parts.rank); block < parts.grid->first_block(parts.rank + 1);
         ++block) {
      const std::array<std::int64_t, 3> extent = parts.grid->block(block).extents();
      most = std::max(most, border.boxes({extent[0], extent[1], extent[2], 1}).size());
    }
    return static_cast<int>(most);
  }

  void add_part(const TaskNode& node, std::size_t place, const BlockPart& part) {
    if (!node.parts->any(part)) return;
    const Kind kind = part.cells == BlockPart::Cells::border ? Kind::border : Kind::interior;
    Draft& one = draft(node, place, kind == Kind::border ? " border" : " interior", kind);
    for (const TaskNode::Access& access : node.accesses) {
      one.touches.push_back({access.object, access.mode == AccessMode::write, regions(access, part)});
      const auto sent = sent_before_.find(access.object);
      const bool beyond = access.mode == AccessMode::write && access.reach > 0 && !node.parts->has;
      if (kind == Kind::interior && beyond && sent != sent_before_.end() &&
          *sent->second.name == node.name + " before")
        one.sender.emplace(sent->first, sent->second.place);
    }
    one.step.run = [run = node.parts->run, part](Stream& stream) { run(stream, part); };
    if (kind == Kind::interior && !progress_.empty() && node.memory != Memory::device)
      one.step.run = in_slices(node.parts->run, part);
  }

  /// That a task has touched its fields, and which of them it wrote beyond its blocks: a sweep over whole
  /// ones, since what a task on a box writes may be what arrives.
  void note_touched(const TaskNode& node, std::size_t place) {
    for (const TaskNode::Access& access : node.accesses) {
      wrote_beyond_.erase(access.object);
      sent_before_.erase(access.object);
    }
    if (!node.parts || node.parts->has) return;
    for (const TaskNode::Access& access : node.accesses) {
      if (access.mode == AccessMode::write && access.reach > 0)
        wrote_beyond_[access.object] = {place, &node.name};
    }
  }

  /// Computes the interior layer by layer and lets messages move on in between.
  [[nodiscard]] std::function<void(Stream&)> in_slices(std::function<void(Stream&, const BlockPart&)> run,
                                                       BlockPart part) const {
    part.slices = 8;
    return [run = std::move(run), part, progress = progress_](Stream& stream) mutable {
      for (part.slice = 0; part.slice < part.slices; ++part.slice) {
        run(stream, part);
        for (const std::function<void()>& move_on : progress)
          move_on();
      }
    };
  }

  PlanOptions options_;
  std::vector<HaloSteps> halos_;
  std::vector<std::function<void()>> progress_;
  int width_ = 0;
  bool splits_ = false;    // sweeps have borders
  bool exchanges_ = false; // something crosses, each time after all of a step and before all of the next
  std::vector<Borders> borders_;
  struct Named {
    std::size_t place;
    const std::string* name;
  };
  // The sweep that did, and the exchange to ghost cells, if nothing else has touched the field since.
  std::map<const void*, Named> wrote_beyond_;
  std::map<const void*, Named> sent_before_;
};

/// Whether the later of two steps has to wait for the earlier one. What the exchange for a sweep sends back
/// from ghost cells to their owners are values that cells of other blocks have written; in a sweep without
/// races no cell here touches these, so that they may arrive while the interior is still being computed. A
/// finish follows the border all the same; what other ranks store into the fields themselves waits for no
/// part of that sweep. In the same way, what an exchange sends before such a sweep is what cells of other
/// blocks then read and write: the interior need not wait until it has been sent.
bool conflict(const Draft& earlier, const Draft& later) {
  for (const Touch& x : earlier.touches) {
    const auto writer = later.writer.find(x.object);
    const bool meets_arrivals = earlier.step.kind == Kind::interior || !later.opened.empty();
    if (meets_arrivals && writer != later.writer.end() && writer->second == earlier.node) continue;
    const auto sender = later.sender.find(x.object);
    const bool sends = earlier.step.kind == Kind::start || earlier.step.kind == Kind::finish;
    if (sends && sender != later.sender.end() && sender->second == earlier.node) continue;
    for (const Touch& y : later.touches) {
      if (x.object == y.object && (x.writes || y.writes) && (x.regions & y.regions) != 0) return true;
    }
  }
  return false;
}

/// Mailboxes: the n-th finish that empties one comes after the n-th start that fills it, and the start after
/// that comes after it. The n-th start comes after the n-th step that opens it, where there is one.
void order_mailboxes(const std::vector<Draft>& list, std::vector<std::vector<std::size_t>>& before) {
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
void pass_on(const std::vector<Draft>& list, std::vector<std::vector<std::size_t>>& before) {
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

std::vector<std::vector<std::size_t>> dependences(const std::vector<Draft>& list,
                                                  std::span<const TaskNode> nodes) {
  std::vector<std::vector<std::size_t>> before(list.size());
  std::vector<bool> absent(nodes.size(), true);
  for (const Draft& one : list)
    absent[one.node % nodes.size()] = false;
  for (std::size_t j = 0; j < list.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (list[i].node == list[j].node) { // parts of one task touch different values
        if (list[j].step.kind == Kind::finish)
          before[j].push_back(i); // but a lane shift writes whole vectors
        continue;
      }
      // The wire of an exchange is free again when it has been emptied.
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
std::vector<std::size_t> sequence(const std::vector<Draft>& list,
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
  Drafts drafts(nodes, options);
  for (std::int64_t iteration = 0; iteration < options.iterations; ++iteration) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      drafts.add(nodes[i], i, static_cast<std::size_t>(iteration) * nodes.size() + i);
  }
  std::vector<Draft>& list = drafts.list;
  const std::vector<std::vector<std::size_t>> before = dependences(list, nodes);
  std::vector<std::size_t> order = sequence(list, before, options.device);
  if (order.size() != list.size()) {
    std::string waiting;
    for (std::size_t i = 0; i < list.size() && waiting.empty(); ++i) {
      if (std::ranges::find(order, i) == order.end()) waiting = list[i].step.name;
    }
    throw Error("TaskGraph", "'" + waiting + "' and others wait for each other",
                "does order(), or an object that tasks of several ranks touch, contradict the order of their "
                "exchanges?");
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
