// SPDX-License-Identifier: Apache-2.0
// Tasks drawn at random, and which values of which fields each step of them touches: known from what a task
// is, not from what a plan makes of it.
#ifndef HEDDLE_TESTS_RANDOM_TASKS_HPP
#define HEDDLE_TESTS_RANDOM_TASKS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/graph/task_node.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/box.hpp"

namespace random_tasks {

using heddle::AccessMode;
using heddle::BlockGrid;
using heddle::BlockPart;
using heddle::Box;
using heddle::TaskNode;
using Cell = std::array<std::int64_t, 3>;

constexpr int layers = 2; // of ghost cells

/// Values, a bit each.
class Values {
public:
  explicit Values(std::size_t count) : words_((count + 63) / 64) {}
  void add(std::size_t value) { words_[value / 64] |= std::uint64_t{1} << value % 64; }
  void add(const Values& more) {
    for (std::size_t w = 0; w < words_.size(); ++w)
      words_[w] |= more.words_[w];
  }
  [[nodiscard]] bool has(std::size_t value) const { return (words_[value / 64] >> value % 64 & 1U) != 0; }
  [[nodiscard]] bool meets(const Values& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if ((words_[w] & other.words_[w]) != 0) return true;
    }
    return false;
  }
  friend bool operator==(const Values&, const Values&) = default;

private:
  std::vector<std::uint64_t> words_;
};

struct Touched {
  Values read;
  Values written;

  void add(const Touched& more) {
    read.add(more.read);
    written.add(more.written);
  }
  [[nodiscard]] bool conflicts(const Touched& other) const {
    return written.meets(other.read) || written.meets(other.written) || read.meets(other.written);
  }
  friend bool operator==(const Touched&, const Touched&) = default;
};

/// What a step has said when it was run.
struct Note {
  enum class What { part, start, wrap, finish };
  std::size_t node = 0;
  What what = What::part;
  BlockPart part; // of a sweep

  [[nodiscard]] auto all() const {
    return std::tie(node, what, part.cells, part.width, part.slice, part.slices, part.box);
  }
  friend bool operator<(const Note& a, const Note& b) { return a.all() < b.all(); }
};

/// A few fields on one or two grids, dense or over lists, and what some sweeps and exchanges do with them: on
/// one rank of several, or on all of them in one graph.
class Tasks {
public:
  explicit Tasks(unsigned seed) : random_(seed) {
    const int most = drawn(1, 4);
    for (int d = 0; d < 3; ++d)
      periodic_[static_cast<std::size_t>(d)] = drawn(0, 1) == 1;
    listed_ = drawn(0, 4) == 0;
    add_grid(most);
    apart_ = grids_.front().ranks() > 1 && drawn(0, 3) == 0;
    if (drawn(0, 5) == 0) add_grid(grids_.front().ranks());
    me_ = drawn(0, grids_.front().ranks() - 1);
    progresses_ = drawn(0, 3) == 0;
    exchanges_ = drawn(0, 5) != 0;
    orders_ = drawn(0, 3) == 0 ? 3 : 0;
    const int fields = drawn(1, 3);
    for (int f = 0; f < fields; ++f)
      add_field();
    for (const Field& field : fields_)
      objects_.resize(objects_.size() + static_cast<std::size_t>(field.grid->ranks()));
    const int groups = drawn(1, 4);
    for (int g = 0; g < groups; ++g)
      add_group();
    if (drawn(0, 3) == 0) {
      const int last = static_cast<int>(tasks_.size()) - 1;
      std::swap(tasks_[static_cast<std::size_t>(drawn(0, last))],
                tasks_[static_cast<std::size_t>(drawn(0, last))]);
    }
    first_mailbox_ = count_;
    count_ += tasks_.size() * ranks() * ranks();
    mailboxes_.resize(tasks_.size() * ranks() * ranks());
    make_nodes();
  }
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  Tasks(Tasks&&) = delete;
  Tasks& operator=(Tasks&&) = delete;
  ~Tasks() = default;

  [[nodiscard]] const std::vector<TaskNode>& nodes() const { return nodes_; }
  /// The number of the task that a node is on its rank.
  [[nodiscard]] std::size_t task(std::size_t node) const { return node_task_[node].task; }
  /// Whether order() demands that a node comes before another one, maybe through others.
  [[nodiscard]] bool demanded(std::size_t before, std::size_t node) const {
    return std::ranges::any_of(nodes_[node].ordered,
                               [&](std::size_t one) { return one == before || demanded(before, one); });
  }
  [[nodiscard]] bool apart() const { return apart_; }

  /// What a step says, that is, all that it does.
  [[nodiscard]] std::vector<Note> notes_of(const std::function<void(heddle::Stream&)>& run) {
    notes_.clear();
    heddle::Stream stream;
    run(stream);
    return notes_;
  }
  [[nodiscard]] Touched touched(const std::vector<Note>& notes) {
    Touched all{Values(count_), Values(count_)};
    for (const Note& note : notes)
      touch(all, note);
    return all;
  }
  /// The same for all of a task.
  [[nodiscard]] Touched all_of(std::size_t node) { return touched(notes_of(nodes_[node].function)); }

  [[nodiscard]] int drawn(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1));
  }

private:
  struct Field {
    const BlockGrid* grid;
    std::vector<std::array<int, 3>> slots; // of a cell: where their neighbours lie
    int reach;
    std::size_t first; // value
    std::size_t values;
    std::vector<std::size_t> blocks; // first value of each
  };
  /// A sweep touches each slot of a cell in the cell itself (way 0), or in its neighbour there (1), or
  /// opposite (-1).
  struct Access {
    std::size_t field;
    int way;
    bool reads;
    bool writes;
  };
  enum class Kind { sweep, anything, exchange };
  struct Task {
    Kind kind;
    std::string name;
    std::vector<Access> accesses;
    std::optional<Box> box; // a sweep over these cells of the domain alone
    bool whole = false;     // an exchange: of all ghost cells, whoever reads them
    bool toward_owners = false;
    std::array<bool, 3> border{};
    bool into_fields = false;
    bool device = true;
  };
  struct OfRank {
    std::size_t task;
    int rank;
  };
  /// A value that crosses.
  struct Piece {
    int ghost_rank;
    int owner_rank;
    std::size_t ghost;
    std::size_t owned;
    std::array<bool, 3> across;
  };

  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(grids_.front().ranks()); }

  void add_grid(int most_ranks) {
    std::array<int, 3> blocks{};
    Cell cells{};
    for (std::size_t d = 0; d < 3; ++d) {
      blocks[d] = drawn(1, 2);
      cells[d] = blocks[d] * drawn(2, 4) + drawn(0, 1);
    }
    if (blocks[2] == 1) cells[2] = drawn(2, 14);
    const int size = blocks[0] * blocks[1] * blocks[2];
    const bool first = grids_.empty();
    if (!first && size < most_ranks) return;
    // One block a rank of lists.
    const int ranks = !first ? most_ranks : listed_ ? size : std::min(size, most_ranks);
    grids_.emplace_back(Box{{0, 0, 0}, cells}, blocks, periodic_, ranks);
  }

  void add_field() {
    Field field;
    // Equal grids may be different objects.
    const BlockGrid& grid =
        grids_[listed_ ? 0 : static_cast<std::size_t>(drawn(0, static_cast<int>(grids_.size()) - 1))];
    field.grid = drawn(0, 1) == 0 || listed_ ? &grid : &grids_.emplace_back(grid);
    const int far = drawn(1, 3) == 1 ? 2 : 1;
    field.slots.push_back({drawn(0, 1) * 2 - 1, drawn(0, 1) * 2 - 1, drawn(0, 1) * 2 - 1});
    for (int more = drawn(0, 2); more > 0; --more)
      field.slots.push_back({drawn(-far, far), drawn(-far, far), drawn(-far, far)});
    field.reach = 0;
    for (const std::array<int, 3>& slot : field.slots) {
      for (const int d : slot)
        field.reach = std::max(field.reach, std::abs(d));
    }
    width_ = std::max(width_, field.reach);
    field.first = count_;
    for (int block = 0; block < field.grid->size(); ++block) {
      field.blocks.push_back(count_);
      count_ += static_cast<std::size_t>(field.grid->block(block).grow({layers, layers, layers}).volume()) *
                field.slots.size();
    }
    field.values = count_ - field.first;
    fields_.push_back(std::move(field));
  }

  Task& add(Kind kind, std::string name, std::vector<Access> accesses) {
    Task& task = tasks_.emplace_back();
    task.kind = kind;
    task.name = std::move(name);
    task.accesses = std::move(accesses);
    task.device = drawn(0, 3) != 0;
    return task;
  }

  Task& add_exchange(std::string name, std::vector<Access> accesses, bool toward_owners) {
    Task& task = add(Kind::exchange, std::move(name), std::move(accesses));
    task.toward_owners = toward_owners;
    task.into_fields = drawn(0, 1) == 0;
    for (std::size_t d = 1; d < 3; ++d)
      task.border[d] = !listed_ && drawn(0, 2) == 0;
    return task;
  }

  void add_sweep(std::string name, std::vector<Access> accesses) {
    const Box& domain = fields_[accesses.front().field].grid->domain();
    Task& sweep = add(Kind::sweep, std::move(name), std::move(accesses));
    if (listed_ || drawn(0, 3) != 0) return;
    sweep.box = domain;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto cells = static_cast<int>(domain.upper[d]);
      const int first = drawn(0, cells - 1);
      sweep.box->lower[d] = first;
      sweep.box->upper[d] = drawn(0, 2) == 0 ? first + 1 : drawn(first + 1, cells);
    }
  }

  /// A sweep and the exchanges around it, or something else; more may come in between.
  void add_group() {
    const auto field = static_cast<std::size_t>(drawn(0, static_cast<int>(fields_.size()) - 1));
    if (drawn(0, 9) == 0) {
      const bool writes = drawn(0, 1) == 0;
      add(Kind::anything, "anything", {{field, 0, !writes || drawn(0, 1) == 0, writes}});
      return;
    }
    const int way = drawn(-1, 1);
    const bool in_place = drawn(0, 2) != 0;
    std::vector<Access> accesses{{field, way, true, in_place}};
    std::vector<Access> crossing{{field, way, true, true}};
    const auto other = static_cast<std::size_t>(drawn(0, static_cast<int>(fields_.size()) - 1));
    if (other != field && *fields_[other].grid == *fields_[field].grid) {
      const int other_way = drawn(0, 2) == 0 ? 1 : 0;
      const bool writes = !in_place || drawn(0, 1) == 0;
      accesses.push_back({other, other_way, !writes || drawn(0, 1) == 0, writes});
      crossing.push_back({other, other_way, true, true});
    }
    std::string name = "sweep";
    std::vector<Access> before;
    std::vector<Access> after;
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      const Access& access = accesses[a];
      name += " " + std::to_string(access.field) +
              (access.way < 0   ? "-"
               : access.way > 0 ? "+"
                                : "") +
              (access.reads ? "r" : "") + (access.writes ? "w" : "");
      if (access.way != 0 && access.reads) before.push_back(crossing[a]);
      if (access.way != 0 && access.writes) after.push_back(crossing[a]);
    }
    const auto something = [&] {
      const int what = drawn(0, 9);
      if (what == 0 && exchanges_) add_exchange("all ghosts", {{field, 1, true, true}}, false).whole = true;
      if (what == 1) add_sweep("sweep in between", {{field, drawn(-1, 1), true, true}});
    };
    if (exchanges_ && !before.empty() && drawn(0, 4) != 0) add_exchange(name + " before", before, false);
    something();
    add_sweep(name, accesses);
    something();
    if (exchanges_ && !after.empty() && drawn(0, 4) != 0) {
      if (drawn(0, 9) == 0) { // of another sweep
        after.front().way = -after.front().way;
        name = "other";
      }
      add_exchange(name + " after", after, true);
    }
  }

  void make_nodes() {
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      for (int rank = 0; rank < static_cast<int>(ranks()); ++rank) {
        if (apart_ || rank == me_) node_task_.push_back({t, rank});
      }
    }
    nodes_.resize(node_task_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const auto& [number, rank] = node_task_[n];
      const Task& task = tasks_[number];
      TaskNode& node = nodes_[n];
      node.name = task.name;
      node.memory = task.device ? heddle::Memory::device : heddle::Memory::host;
      for (const Access& access : task.accesses) {
        const Field& field = fields_[access.field];
        const int reach =
            task.kind == Kind::sweep ? access.way == 0 ? 0 : field.reach : heddle::FieldAccess::anywhere;
        if (access.reads) node.accesses.push_back({object(access.field, rank), "", AccessMode::read, reach});
        if (access.writes)
          node.accesses.push_back({object(access.field, rank), "", AccessMode::write, reach});
      }
      if (task.kind == Kind::exchange)
        make_exchange(n);
      else
        make_sweep(n);
      if (n > 0 && drawn(1, 4) <= orders_) {
        const std::size_t earlier = n - static_cast<std::size_t>(drawn(1, std::min(static_cast<int>(n), 3)));
        if (node_task_[earlier].task != number) node.ordered.push_back(earlier);
      }
    }
  }

  void make_sweep(std::size_t n) {
    const auto& [number, rank] = node_task_[n];
    const Task& task = tasks_[number];
    const auto note = [this, n](const BlockPart& part) { notes_.push_back({n, Note::What::part, part}); };
    nodes_[n].function = [note](heddle::Stream&) { note(BlockPart()); };
    if (task.kind != Kind::sweep) return;
    const Field& field = fields_[task.accesses.front().field];
    nodes_[n].parts = TaskNode::Parts{
        field.grid, rank, [note](heddle::Stream&, const BlockPart& part) { note(part); }, {}, !listed_};
    if (task.box)
      nodes_[n].parts->has = [this, n](const BlockPart& part) { return !cells_of(n, part).empty(); };
  }

  void make_exchange(std::size_t n) {
    const auto& [number, rank] = node_task_[n];
    const Task& task = tasks_[number];
    const BlockGrid& grid = *fields_[task.accesses.front().field].grid;
    heddle::HaloSteps steps;
    steps.grid = &grid;
    steps.rank = rank;
    steps.toward_owners = task.toward_owners;
    steps.memory = nodes_[n].memory;
    steps.depth = listed_ ? width_ : 0;
    for (const Access& access : task.accesses)
      steps.depth = std::max(steps.depth, fields_[access.field].reach);
    const auto note = [this, n](Note::What what) {
      return [this, n, what](heddle::Stream&) { notes_.push_back({n, what, {}}); };
    };
    steps.start = note(Note::What::start);
    steps.wrap = note(Note::What::wrap);
    steps.finish = note(Note::What::finish);
    nodes_[n].function = [steps](heddle::Stream& stream) {
      steps.start(stream);
      steps.wrap(stream);
      steps.finish(stream);
    };
    const std::array<bool, 3> borders = border_axes(task, grid, rank);
    bool wraps = false;
    for (const Access& access : task.accesses) {
      steps.fields.push_back({object(access.field, rank), "", AccessMode::read});
      steps.fields.push_back({object(access.field, rank), "", AccessMode::write});
      for (const Piece& piece : pieces(task, access)) {
        const int from = task.toward_owners ? piece.ghost_rank : piece.owner_rank;
        const int to = task.toward_owners ? piece.owner_rank : piece.ghost_rank;
        if (from == to && from == rank) wraps = wraps || !lies_across(piece, borders);
        if (from == to || (from != rank && to != rank)) continue;
        steps.messages = true;
        const void* const box = &mailboxes_[mailbox(number, from, to) - first_mailbox_];
        std::vector<const void*>& boxes = from == rank ? steps.filled : steps.emptied;
        if (apart_ && std::ranges::find(boxes, box) == boxes.end()) boxes.push_back(box);
      }
    }
    if (!wraps) steps.wrap = {};
    steps.apart = apart_ && steps.messages;
    if (steps.apart && task.into_fields) steps.opened = steps.emptied;
    if (steps.messages) steps.border = task.border;
    if (steps.messages && progresses_) steps.progress = [] {};
    nodes_[n].halo = [steps] { return steps; };
  }

  [[nodiscard]] const void* object(std::size_t field, int rank) const {
    return &objects_[field * ranks() + static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::size_t mailbox(std::size_t task, int from, int to) const {
    return first_mailbox_ + (task * ranks() + static_cast<std::size_t>(from)) * ranks() +
           static_cast<std::size_t>(to);
  }
  [[nodiscard]] static int owner(const BlockGrid& grid, const Cell& cell) {
    return grid.owner(grid.in_domain(cell));
  }

  /// A slot of a cell as a block sees it; over a list, cells of the own rank are one and the same however
  /// they are reached, and there is nothing behind walls.
  [[nodiscard]] std::optional<std::size_t> value(const Field& field, int block, Cell cell,
                                                 std::size_t slot) const {
    const BlockGrid& grid = *field.grid;
    if (listed_) {
      const int owns = owner(grid, cell);
      if (owns < 0) return std::nullopt;
      if (owns == block) cell = grid.in_domain(cell);
    }
    const Box all = grid.block(block).grow({layers, layers, layers});
    const std::int64_t row = cell[1] - all.lower[1] + all.extent(1) * (cell[2] - all.lower[2]);
    const std::int64_t place = cell[0] - all.lower[0] + all.extent(0) * row;
    return field.blocks[static_cast<std::size_t>(block)] +
           static_cast<std::size_t>(place) * field.slots.size() + slot;
  }

  template <class F> static void for_cells(const Box& box, F&& f) {
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
      for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
        for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x)
          f(Cell{x, y, z});
      }
    }
  }

  /// Of a list: cells from which those of other ranks can be reached.
  [[nodiscard]] bool reaches_others(const BlockGrid& grid, int rank, const Cell& cell) const {
    bool found = false;
    const Box around{{cell[0] - width_, cell[1] - width_, cell[2] - width_},
                     {cell[0] + width_ + 1, cell[1] + width_ + 1, cell[2] + width_ + 1}};
    for_cells(around, [&](const Cell& beside) {
      const int block = owner(grid, beside);
      found = found || (block >= 0 && grid.rank(block) != rank);
    });
    return found;
  }

  /// The cells of a part of a sweep, and their blocks.
  [[nodiscard]] std::vector<std::pair<int, Cell>> cells_of(std::size_t n, const BlockPart& part) const {
    const int rank = node_task_[n].rank;
    const Task& task = tasks_[node_task_[n].task];
    const BlockGrid& grid = *fields_[task.accesses.front().field].grid;
    std::vector<std::pair<int, Cell>> found;
    for (int block = grid.first_block(rank); block < grid.first_block(rank + 1); ++block) {
      const Box& own = grid.block(block);
      const auto extent = own.extents();
      const std::vector<Box> boxes = listed_ ? std::vector<Box>{Box{{0, 0, 0}, extent}}
                                             : part.boxes({extent[0], extent[1], extent[2], 1});
      for (const Box& box : boxes) {
        const Box there = box.shift(own.lower);
        for_cells(task.box ? there.intersect(*task.box) : there, [&](const Cell& cell) {
          if (listed_ && part.cells != BlockPart::Cells::all &&
              reaches_others(grid, rank, cell) != (part.cells == BlockPart::Cells::border))
            return;
          found.emplace_back(block, cell);
        });
      }
    }
    if (!listed_) return found;
    const auto count = static_cast<std::ptrdiff_t>(found.size());
    return {found.begin() + count * part.slice / part.slices,
            found.begin() + count * (part.slice + 1) / part.slices};
  }

  /// All that crosses for one access: what cells of a sweep reach beyond their block, or all ghost cells.
  [[nodiscard]] const std::vector<Piece>& pieces(const Task& task, const Access& access) {
    const auto [place, is_new] = pieces_.try_emplace({access.field, access.way, task.whole});
    std::vector<Piece>& found = place->second;
    if (!is_new) return found;
    const Field& field = fields_[access.field];
    const BlockGrid& grid = *field.grid;
    for (int block = 0; block < grid.size(); ++block) {
      const Box& own = grid.block(block);
      for_cells(own.grow({field.reach, field.reach, field.reach}), [&](const Cell& cell) {
        const int owns = owner(grid, cell);
        if (owns < 0 || own.contains(cell) || (listed_ && owns == block)) return;
        for (std::size_t slot = 0; slot < field.slots.size(); ++slot) {
          Cell reaches = cell;
          for (std::size_t d = 0; d < 3; ++d)
            reaches[d] -= std::int64_t{access.way} * field.slots[slot][d];
          if (!task.whole && !own.contains(reaches)) continue;
          Piece piece{grid.rank(block),
                      grid.rank(owns),
                      *value(field, block, cell, slot),
                      *value(field, owns, grid.in_domain(cell), slot),
                      {}};
          for (std::size_t d = 0; d < 3; ++d)
            piece.across[d] = cell[d] < own.lower[d] || cell[d] >= own.upper[d];
          found.push_back(piece);
        }
      });
    }
    return found;
  }

  /// The axes across which an exchange has borders.
  [[nodiscard]] static std::array<bool, 3> border_axes(const Task& task, const BlockGrid& grid, int rank) {
    std::array<bool, 3> axes = heddle::axes_to_other_ranks(grid, rank);
    for (std::size_t d = 0; d < 3; ++d)
      axes[d] = axes[d] || task.border[d];
    return axes;
  }
  [[nodiscard]] static bool lies_across(const Piece& piece, const std::array<bool, 3>& axes) {
    return (piece.across[0] && axes[0]) || (piece.across[1] && axes[1]) || (piece.across[2] && axes[2]);
  }

  void touch(Touched& touched, const Note& note) {
    const auto& [number, rank] = node_task_[note.node];
    const Task& task = tasks_[number];
    if (task.kind == Kind::exchange) return touch_by_exchange(touched, note);
    const auto note_value = [&](const Access& access, std::size_t value) {
      if (access.reads) touched.read.add(value);
      if (access.writes) touched.written.add(value);
    };
    if (task.kind == Kind::anything) {
      for (const Access& access : task.accesses) {
        const Field& field = fields_[access.field];
        const auto first = static_cast<std::size_t>(field.grid->first_block(rank));
        const auto last = static_cast<std::size_t>(field.grid->first_block(rank + 1));
        const std::size_t end = last < field.blocks.size() ? field.blocks[last] : field.first + field.values;
        for (std::size_t value = field.blocks[first]; value < end; ++value)
          note_value(access, value);
      }
      return;
    }
    for (const auto& [block, cell] : cells_of(note.node, note.part)) {
      for (const Access& access : task.accesses) {
        const Field& field = fields_[access.field];
        for (std::size_t slot = 0; slot < field.slots.size(); ++slot) {
          Cell there = cell;
          for (std::size_t d = 0; d < 3; ++d)
            there[d] += std::int64_t{access.way} * field.slots[slot][d];
          if (const auto found = value(field, block, there, slot)) note_value(access, *found);
        }
      }
    }
  }

  /// Messages are packed by start and unpacked by finish, or stored where they belong by start; what crosses
  /// within the rank between borders is read by start or by finish.
  void touch_by_exchange(Touched& touched, const Note& note) {
    const auto& [number, rank] = node_task_[note.node];
    const Task& task = tasks_[number];
    const bool start = note.what == Note::What::start;
    const bool finish = note.what == Note::What::finish;
    if (start || finish) touched.written.add(mailbox(number, rank, rank));
    for (const Access& access : task.accesses) {
      const std::array<bool, 3> borders = border_axes(task, *fields_[access.field].grid, rank);
      for (const Piece& piece : pieces(task, access)) {
        int from_rank = piece.owner_rank;
        int to_rank = piece.ghost_rank;
        std::size_t from = piece.owned;
        std::size_t to = piece.ghost;
        if (task.toward_owners) {
          std::swap(from, to);
          std::swap(from_rank, to_rank);
        }
        if (from_rank == rank && to_rank == rank) {
          const bool at_border = lies_across(piece, borders);
          if (at_border ? start || finish : note.what == Note::What::wrap) touched.read.add(from);
          if (at_border ? finish : note.what == Note::What::wrap) touched.written.add(to);
        } else if (from_rank == rank && start) {
          touched.read.add(from);
          if (apart_) touched.written.add(mailbox(number, rank, to_rank));
          if (apart_ && task.into_fields) touched.written.add(to);
        } else if (to_rank == rank && finish) {
          touched.written.add(to);
          if (apart_) touched.read.add(mailbox(number, from_rank, rank));
        }
      }
    }
  }

  std::mt19937 random_;
  std::array<bool, 3> periodic_{};
  bool listed_ = false;
  bool apart_ = false; // the ranks of one graph
  bool progresses_ = false;
  bool exchanges_ = true;
  int orders_ = 0; // of four tasks so many are to come after a certain other one
  int me_ = 0;
  int width_ = 0; // furthest reach
  std::deque<BlockGrid> grids_;
  std::vector<Field> fields_;
  std::vector<char> objects_; // addresses alone
  std::vector<char> mailboxes_;
  std::vector<Task> tasks_;
  std::vector<OfRank> node_task_;
  std::vector<TaskNode> nodes_;
  std::vector<Note> notes_;
  std::map<std::tuple<std::size_t, int, bool>, std::vector<Piece>> pieces_;
  std::size_t count_ = 0; // values, of fields and mailboxes
  std::size_t first_mailbox_ = 0;
};

} // namespace random_tasks

#endif
