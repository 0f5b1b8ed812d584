// SPDX-License-Identifier: Apache-2.0
#include "split_tasks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "interior_tiles.hpp"

namespace heddle {

namespace {

using Kind = TaskStep::Kind;

/// Regions of a field, a bit each: cells of the border, ghost cells by the axes across whose faces they lie
/// (an exchange has borders of its own, so that what one lets come with its messages another one moves within
/// this rank), and the interior cells, tile by tile.
enum Region : unsigned {
  border = 1,
  ghosts = 0xfe, // 1 << n: beyond faces across the axes d with 1 << d in n
  interior = ((1U << max_interior_tiles) - 1) << 8,
  everywhere = border | ghosts | interior
};

/// An interior on a host is computed in so many slices at most, with a look at the messages after each;
/// slices of fewer cells, 20 to 50 us of work, cost more to begin and to look than messages gain by it.
constexpr std::int64_t most_slices = 8;
constexpr std::int64_t smallest_slice = 4096;

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

/// The tiles of an interior that a part of it touches, itself and so many on both sides.
unsigned tiles_of(const BlockPart& part, int neighbours) {
  if (part.slices == 1) return interior;
  const int last = std::min(part.slice + neighbours, part.slices - 1);
  unsigned found = 0;
  for (int tile = std::max(part.slice - neighbours, 0); tile <= last; ++tile)
    found |= 0x100U << tile;
  return found;
}

/// Which part of a field a part of a sweep touches that reaches `reach` cells beyond its own.
unsigned regions(const TaskNode::Access& access, const BlockPart& part) {
  if (access.reach == FieldAccess::anywhere) return everywhere;
  const bool beyond = access.reach > 0;
  if (part.cells == BlockPart::Cells::border) return beyond ? everywhere : border;
  if (!beyond) return tiles_of(part, 0);
  return border | rim({part.width[0] > 0, part.width[1] > 0, part.width[2] > 0}) | tiles_of(part, 1);
}

class TaskSplitter {
public:
  TaskSplitter(std::span<const TaskNode> nodes, const PlanOptions& options) : options_(options) {
    for (const TaskNode& node : nodes) {
      halos_.push_back(node.halo ? node.halo() : HaloSteps{});
      HaloSteps& halo = halos_.back();
      splits_ = splits_ || (halo.messages && options.overlap);
      exchanges_ = exchanges_ || halo.grid != nullptr;
      if (halo.grid != nullptr) {
        halo.border = united(halo.border, axes_to_other_ranks(*halo.grid, halo.rank));
        widen(*halo.grid, halo.rank, halo.border);
      }
      if (halo.progress && std::ranges::find(networks_, halo.network) == networks_.end()) {
        progress_.push_back(halo.progress);
        if (halo.network != nullptr) networks_.push_back(halo.network);
      }
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
    else if (!exchanges_ && node.parts && options_.overlap && tiles(node, BlockPart()) > 1)
      add_tiles(node, place, {.cells = BlockPart::Cells::interior}); // without a border: nobody asks for one
    else
      add_whole(node, halo, place);
  }

  std::vector<SplitStep> list;

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
  [[nodiscard]] int tiles(const TaskNode& node, const BlockPart& part) const {
    const bool progresses = !progress_.empty() && node.memory != Memory::device;
    const auto grids =
        std::ranges::count_if(borders_, [&](const Borders& one) { return one.rank == node.parts->rank; });
    if (!options_.fine || !node.parts->boxes || progresses || grids > 1) return 1;
    return interior_tiles(*node.parts->grid, node.parts->rank, part.width, width_, options_.interior_tiles);
  }

  [[nodiscard]] bool has_border(const TaskNode::Parts& parts) const {
    const std::array<bool, 3>& axes = border_axes(parts);
    return axes[0] || axes[1] || axes[2];
  }

  SplitStep& draft(const TaskNode& node, std::size_t place, const char* suffix, Kind kind) {
    SplitStep& one = list.emplace_back();
    one.node = place;
    one.step.name = node.name + suffix;
    one.step.kind = kind;
    one.step.memory = node.memory;
    one.step.waits = node.memory != Memory::device;
    one.step.device = node.device;
    return one;
  }

  void add_whole(const TaskNode& node, const HaloSteps& halo, std::size_t place) {
    SplitStep& one = draft(node, place, "", Kind::whole);
    one.step.run = node.function;
    one.step.waits_for = halo.waits_for;
    one.step.verify = halo.verify;
    one.step.abort = halo.abort;
    for (const TaskNode::Access& access : node.accesses)
      one.touches.push_back({access.object, access.mode == AccessMode::write, everywhere});
    note_touched(node, place);
  }

  void add_exchange(const TaskNode& node, const HaloSteps& halo, std::size_t place) {
    const auto touch = [&](SplitStep& one, bool writes, unsigned where) {
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
      SplitStep& ready =
          draft(node, place, " ready", Kind::whole); // is no step, see pass_on of task_plan.cpp
      ready.opened = halo.opened;
      touch(ready, true, arrival);
      if (halo.toward_owners) ready.writer = writers_of(node, halo);
    }
    for (const FieldAccess& field : halo.fields) {
      if (!halo.toward_owners) sent_before_[field.object] = {place, &node.name};
    }
    SplitStep& start = draft(node, place, " start", Kind::start);
    start.step.exchange = place;
    start.step.run = halo.start;
    start.filled = halo.filled;
    start.apart = halo.apart;
    touch(start, false, halo.toward_owners ? beyond : unsigned{border});
    if (halo.wrap) {
      SplitStep& wrap = draft(node, place, " wrap", Kind::whole);
      wrap.step.run = halo.wrap;
      touch(wrap, false, halo.toward_owners ? wrapped : own);
      touch(wrap, true, halo.toward_owners ? own : wrapped);
    }
    SplitStep& finish = draft(node, place, " finish", Kind::finish);
    finish.step.exchange = place;
    finish.step.run = halo.finish;
    finish.step.waits_for = halo.waits_for;
    finish.step.verify = halo.verify;
    finish.step.abort = halo.abort;
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
    add_tiles(node, place, part);
    note_touched(node, place);
  }

  /// One that is all of it where it is not taken apart.
  void add_tiles(const TaskNode& node, std::size_t place, BlockPart part) {
    part.slices = tiles(node, part);
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
    SplitStep& one = draft(node, place, kind == Kind::border ? " border" : " interior", kind);
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
      one.step.run = in_slices(*node.parts, part);
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
  [[nodiscard]] std::function<void(Stream&)> in_slices(const TaskNode::Parts& parts, BlockPart part) const {
    std::int64_t cells = 0;
    for (int block = parts.grid->first_block(parts.rank); block < parts.grid->first_block(parts.rank + 1);
         ++block)
      cells += parts.grid->block(block).volume();
    part.slices = static_cast<int>(std::clamp<std::int64_t>(cells / smallest_slice, 1, most_slices));
    return [run = parts.run, part, progress = progress_](Stream& stream) mutable {
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
  std::vector<const void*> networks_; // that these let move on, each of them once
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

} // namespace

std::vector<SplitStep> split_tasks(std::span<const TaskNode> nodes, const PlanOptions& options) {
  TaskSplitter splitter(nodes, options);
  for (std::int64_t iteration = 0; iteration < options.iterations; ++iteration) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!options.left_out.empty() && options.left_out[i]) continue;
      splitter.add(nodes[i], i, static_cast<std::size_t>(iteration) * nodes.size() + i);
    }
  }
  return std::move(splitter.list);
}

} // namespace heddle
