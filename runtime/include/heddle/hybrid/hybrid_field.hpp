// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HYBRID_HYBRID_FIELD_HPP
#define HEDDLE_HYBRID_HYBRID_FIELD_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/lifetime.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/grid/halo_state.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/halo/indexed_copy.hpp"
#include "heddle/hybrid/hybrid_block.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/link.hpp"
#include "heddle/sparse/list_report.hpp"
#include "heddle/sparse/sparse_field.hpp"

namespace heddle {

/// The populations of a lattice Boltzmann method in place (AA) on the blocks of one rank, each dense or
/// listed, for a kernel that was generated twice, for Dense and for Sparse. T may be std::uint16_t: halves.
///
///     const auto choice = heddle::choose_blocks(domain, blocks, flags);
///     const auto grid = heddle::BlockGrid::balanced(domain, blocks, periodic, ranks, choice.weights);
///     heddle::HybridField<double> f(grid, choice, flags, module::links, 19, rank);
///     heddle::HybridSweep<module::DenseEven<double>, module::ListedEven<double>> even(f, {...}, {...});
///     heddle::HybridSweep<module::DenseOdd<double>, module::ListedOdd<double>> odd(f, {...}, {...});
///     heddle::HaloExchange before(odd.before(), transport);
///     heddle::HaloExchange after(odd.after(), transport);
///     loop.add(even);
///     loop.add(f.to_walls());
///     loop.add(before);
///     loop.add(odd);
///     loop.add(f.from_walls());
///     loop.add(after);
///
/// A listed block has a list over its box and one layer around it, of which list->interior() are its own
/// cells. A dense block updates its solid cells, too; what they hold means nothing, but that an odd step
/// finds there what comes back, and leaves it there (half-way bounce-back, as IndexList folds it in). The
/// bits do not depend on ranks, blocks and kinds.
template <class T> class HybridField {
public:
  /// dense, or list and listed.
  struct Block {
    HybridBlock cells;
    std::unique_ptr<Field<T>> dense;
    std::unique_ptr<IndexList> list;
    std::unique_ptr<SparseField<T>> listed;
    std::vector<std::uint8_t> flags; // of a dense block and one layer around it, x fastest

    [[nodiscard]] T* data() { return dense ? dense->view().data() : listed->view().data(); }
  };

  /// Builds all blocks of the rank in parallel. links: of the module's AA kernels. Throws Error for blocks
  /// that were chosen for another grid, and what fields and lists throw.
  HybridField(const BlockGrid& grid, const BlockChoice& choice, const FlagReader& flags,
              std::span<const Link> links, int components, int rank = 0, Memory memory = Memory::host,
              std::string name = "f")
      : grid_(grid), links_(links.begin(), links.end()), components_(components), rank_(rank),
        memory_(memory), name_(std::move(name)), first_(grid.first_block(rank)),
        blocks_(static_cast<std::size_t>(grid.first_block(rank + 1) - first_)) {
    if (static_cast<int>(choice.kinds.size()) != grid.places())
      throw Error("HybridField", "its blocks were chosen for another grid",
                  "call choose_blocks(domain, grid.blocks(), ...)");
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu_begin = std::clock();
    for_blocks([&](std::int64_t b) { build_list(static_cast<int>(b), choice, flags); });
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report_.cpu_seconds = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
    for_blocks([&](std::int64_t b) { build_values(blocks_[static_cast<std::size_t>(b)], flags); });
    build_walls();
    for (const Block& block : blocks_) {
      if (!block.list) continue;
      ++report_.lists;
      report_.cells += block.list->interior().size();
      report_.bytes += block.list->table_bytes();
    }
  }
  HybridField(const HybridField&) = delete; // exchanges refer to it
  HybridField& operator=(const HybridField&) = delete;
  HybridField(HybridField&&) = delete;
  HybridField& operator=(HybridField&&) = delete;
  ~HybridField() = default;

  [[nodiscard]] const BlockGrid& grid() const noexcept { return grid_; }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int components() const noexcept { return components_; }
  [[nodiscard]] Memory memory() const noexcept { return memory_; }
  /// What is known of the cells that blocks exchange, see HaloState.
  [[nodiscard]] HaloState& halo_state() const noexcept { return halo_state_; }
  /// By which graphs find out that it has ended.
  [[nodiscard]] const Lifetime& lifetime() const noexcept { return lifetime_; }
  [[nodiscard]] std::vector<Block>& blocks() noexcept { return blocks_; }
  [[nodiscard]] const std::vector<Block>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const ListReport& report() const noexcept { return report_; }

  /// Sets each own cell to f(x, y, z, c), in dense blocks the solid ones, too, and in listed ones ghost cells
  /// (with coordinates that may lie beyond the domain). `f` is called from several threads.
  template <class F> void fill(F&& f) {
    for (Block& block : blocks_) {
      if (block.dense) {
        block.dense->fill(f);
      } else {
        block.listed->fill(f);
      }
    }
    halo_state_.reset();
  }

  /// Copies all values from a field of the same grid, rank and kinds in any memory; throws Error otherwise.
  void copy_from(const HybridField& other) {
    bool same = other.blocks_.size() == blocks_.size() && other.components_ == components_;
    for (std::size_t b = 0; same && b < blocks_.size(); ++b) {
      same = other.blocks_[b].cells.box == blocks_[b].cells.box && !other.blocks_[b].list == !blocks_[b].list;
    }
    if (!same)
      throw Error("HybridField::copy_from",
                  "'" + other.name_ + "' does not have the blocks of '" + name_ + "'",
                  "construct both with the same grid and kinds");
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b].dense)
        blocks_[b].dense->copy_from(*other.blocks_[b].dense);
      else
        blocks_[b].listed->copy_from(*other.blocks_[b].listed);
    }
    halo_state_ = other.halo_state_;
  }

  /// Component `c` along the row at (y, z) of block `number` of the grid, which is one of these; `missing`
  /// stands in cells that are not listed. For reduction_over_ranks. Throws Error for a field on a device.
  void read_row(int number, std::int64_t y, std::int64_t z, int c, std::span<double> row,
                double missing) const {
    if (memory_ == Memory::device)
      throw Error("HybridField::read_row", "'" + name_ + "' is on the device",
                  "copy it into a host field with copy_from()");
    const Block& block = blocks_.at(static_cast<std::size_t>(number - first_));
    const std::array<std::int64_t, 3>& lower = block.cells.box.lower;
    std::fill(row.begin(), row.end(), missing);
    const auto put = [&](std::int64_t x, T value) {
      if (x >= 0 && x < static_cast<std::int64_t>(row.size()))
        row[static_cast<std::size_t>(x)] = static_cast<double>(value);
    };
    if (block.list) {
      const SparseView<const T> view = std::as_const(*block.listed).view();
      block.list->for_row(y, z, [&](std::int64_t n, std::int64_t x) { put(x - lower[0], view(n, c)); });
      return;
    }
    const FieldView<const T> view = std::as_const(*block.dense).view();
    const std::int64_t pitch = view.extent(0) + 2;
    const std::int64_t cell = 1 + pitch * (y - lower[1] + 1 + (view.extent(1) + 2) * (z - lower[2] + 1));
    for (std::int64_t x = 0; x < view.extent(0); ++x) {
      if (block.flags[static_cast<std::size_t>(cell + x)] != 0)
        put(x, view(x, y - lower[1], z - lower[2], c));
    }
  }

  /// What the blocks exchange where dense ones would exchange `pattern`, of one field with these components.
  [[nodiscard]] BoundExchange exchange(const DenseExchange& pattern) {
    BoundExchange result(pattern, sizeof(T));
    result.add({this, name_, components_, sizeof(T)}, {1, 1, 1}, grid_, rank_, memory_);
    result.pack = [this](std::span<const BoundExchange::BlockBoxes> all) {
      std::vector<IndexedCopy> rows;
      for (const auto& [block, boxes] : all)
        blocks_[static_cast<std::size_t>(block)].cells.add_packed(boxes, rows);
      return [this, table = shared_table(rows)](void* buffer, Stream& stream) {
        copy_indexed(nullptr, buffer, sizeof(T), table->data(), table->size(), memory_, stream);
      };
    };
    const bool home = pattern.direction() == Direction::ghost_to_owner;
    result.unpack = [this, home](std::span<const BoundExchange::BlockBoxes> all) {
      const std::span<const Link> writers = home ? std::span<const Link>(links_) : std::span<const Link>();
      std::vector<IndexedCopy> rows;
      for (const auto& [block, boxes] : all)
        blocks_[static_cast<std::size_t>(block)].cells.add_unpacked(boxes, writers, rows);
      return [this, table = shared_table(rows)](void* buffer, Stream& stream) {
        copy_indexed(buffer, nullptr, sizeof(T), table->data(), table->size(), memory_, stream);
      };
    };
    return result;
  }

  /// What copies, in dense blocks, what bounces back: a task, on all values of the field.
  class Walls {
  public:
    [[nodiscard]] std::string_view name() const { return into_ ? "to walls" : "from walls"; }
    [[nodiscard]] Memory memory() const { return field_->memory_; }
    [[nodiscard]] std::vector<FieldAccess> accesses() const {
      return {{field_, field_->name_, AccessMode::read, 1}, {field_, field_->name_, AccessMode::write, 1}};
    }
    void operator()(Stream& stream) const {
      const Buffer<IndexedCopy>& rows = into_ ? field_->to_walls_ : field_->from_walls_;
      if (rows.size() > 0)
        copy_indexed(nullptr, nullptr, sizeof(T), rows.data(), rows.size(), field_->memory_, stream);
    }

  private:
    friend class HybridField;
    Walls(HybridField& field, bool into) : field_(&field), into_(into) {}
    HybridField* field_;
    bool into_;
  };
  /// After even steps: what odd ones find in walls. No exchange touches it there.
  [[nodiscard]] Walls to_walls() { return Walls(*this, true); }
  /// After odd steps: what they left there.
  [[nodiscard]] Walls from_walls() { return Walls(*this, false); }

private:
  void build_list(int b, const BlockChoice& choice, const FlagReader& flags) {
    Block& block = blocks_[static_cast<std::size_t>(b)];
    const std::array<int, 3> at = grid_.place(first_ + b);
    const int place = at[0] + grid_.blocks()[0] * (at[1] + grid_.blocks()[1] * at[2]);
    block.cells.box = grid_.block(first_ + b);
    if (choice.kinds[static_cast<std::size_t>(place)] == BlockKind::dense) return;
    const Box around = block.cells.box.grow(1);
    std::vector<std::uint8_t> listed(static_cast<std::size_t>(around.volume()));
    flags(around, listed);
    constexpr std::array<bool, 6> all{true, true, true, true, true, true}; // the layer comes last in the list
    block.list = std::make_unique<IndexList>(around, listed, std::array<bool, 3>{false, false, false}, links_,
                                             memory_, all);
    block.cells.list = block.list.get();
    block.cells.stride[3] = block.list->slot_stride();
  }

  void build_values(Block& block, const FlagReader& flags) {
    block.cells.value_bytes = sizeof(T);
    if (block.list) {
      block.listed = std::make_unique<SparseField<T>>(*block.list, components_, memory_, name_);
      block.cells.data = block.listed->view().data();
      return;
    }
    FieldOptions options;
    options.components = components_;
    options.memory = memory_;
    options.name = name_;
    block.dense = std::make_unique<Field<T>>(BlockGrid(block.cells.box), options);
    block.cells.stride = block.dense->view().strides();
    block.cells.data = block.dense->view().data();
    const Box around = block.cells.box.grow(1);
    block.flags.resize(static_cast<std::size_t>(around.volume()));
    flags(around, block.flags);
    block.cells.flags = block.flags;
  }

  [[nodiscard]] std::shared_ptr<const Buffer<IndexedCopy>>
  shared_table(const std::vector<IndexedCopy>& rows) const {
    return std::make_shared<const Buffer<IndexedCopy>>(std::span<const IndexedCopy>(rows), memory_);
  }

  /// Of all dense blocks.
  void build_walls() {
    std::vector<std::vector<IndexedCopy>> found(blocks_.size());
    for_blocks([&](std::int64_t b) {
      const HybridBlock& cells = blocks_[static_cast<std::size_t>(b)].cells;
      if (cells.list == nullptr) cells.add_walls(links_, found[static_cast<std::size_t>(b)]);
    });
    std::vector<IndexedCopy> walls;
    for (const std::vector<IndexedCopy>& rows : found)
      walls.insert(walls.end(), rows.begin(), rows.end());
    to_walls_ = Buffer<IndexedCopy>(std::span<const IndexedCopy>(walls), memory_);
    for (IndexedCopy& row : walls)
      std::swap(row.from, row.to);
    from_walls_ = Buffer<IndexedCopy>(std::span<const IndexedCopy>(walls), memory_);
  }

  /// f(b) for all blocks: in parallel; or one after the other, each by all threads, where there are fewer
  /// blocks than threads, and on a device, since each thread has a current device of its own and allocates
  /// there.
  template <class F> void for_blocks(F&& f) {
    const auto all = [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t b = first; b < last; ++b)
        f(b);
    };
    const auto count = static_cast<std::int64_t>(blocks_.size());
    if (memory_ == Memory::host && count >= thread_count())
      parallel_ranges(count, all);
    else
      all(0, count);
  }

  BlockGrid grid_;
  std::vector<Link> links_;
  int components_;
  int rank_;
  Memory memory_;
  std::string name_;
  int first_; // block of this rank
  ListReport report_;
  std::vector<Block> blocks_;
  Buffer<IndexedCopy> to_walls_; // of dense blocks
  Buffer<IndexedCopy> from_walls_;
  mutable HaloState halo_state_;
  Lifetime lifetime_;
};

} // namespace heddle

#endif
