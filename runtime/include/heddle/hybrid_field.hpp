// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HYBRID_FIELD_HPP
#define HEDDLE_HYBRID_FIELD_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/block_grid.hpp"
#include "heddle/block_kinds.hpp"
#include "heddle/exchange.hpp"
#include "heddle/field.hpp"
#include "heddle/hybrid_block.hpp"
#include "heddle/index_list.hpp"
#include "heddle/link.hpp"
#include "heddle/parallel.hpp"
#include "heddle/sparse_field.hpp"

namespace heddle {

/// What the lists of the blocks of one rank took to build.
struct ListReport {
  int blocks = 0;
  std::int64_t cells = 0; // of the blocks; their ghost cells are in bytes and seconds only
  std::int64_t bytes = 0; // tables of neighbours
  double seconds = 0;     // on the clock
  double cpu_seconds = 0; // of all threads

  /// "12 lists of 3.1 million cells in 0.21 s (0.4 s of processors): 68 ns and 74 bytes a cell"
  [[nodiscard]] std::string line() const;
};

/// The populations of a lattice Boltzmann method in place (AA) on the blocks of one rank, each dense or
/// listed, for a kernel that was generated twice, for Dense and for Sparse. In host memory.
///
///     const auto choice = heddle::choose_blocks(domain, blocks, flags);
///     const auto grid = heddle::BlockGrid::balanced(domain, blocks, periodic, ranks, choice.weights);
///     heddle::HybridField<double> f(grid, choice, flags, module::links, 19, rank);
///     heddle::HaloExchange before(f.exchange(odd.before()), transport);
///     heddle::HaloExchange after(f.exchange(odd.after()), transport);
///
/// (`odd` may be the sweep of any dense field.) A pair of steps is: the even steps of all blocks; before;
/// to_walls(); the odd steps; after; from_walls(). A listed block has a list over its box and one layer
/// around it, of which list->interior() are its own cells. A dense block updates its solid cells, too; what
/// they hold means nothing, but that a step beside a wall leaves there what comes back (half-way bounce-back,
/// as IndexList folds it in). The bits do not depend on ranks, blocks and kinds.
template <class T> class HybridField {
public:
  /// dense, or list and listed.
  struct Block {
    HybridBlock cells;
    std::unique_ptr<Field<T>> dense;
    std::unique_ptr<IndexList> list;
    std::unique_ptr<SparseField<T>> listed;
    std::vector<HybridBlock::WallPair> walls; // of a dense block
    std::vector<std::uint8_t> flags;          // of a dense block and one layer around it, x fastest

    [[nodiscard]] T* data() { return dense ? dense->view().data() : listed->view().data(); }
  };

  /// Builds all blocks of the rank in parallel. links: of the module's AA kernels. Throws Error for blocks
  /// that were chosen for another grid, and what fields and lists throw.
  HybridField(const BlockGrid& grid, const BlockChoice& choice, const FlagReader& flags,
              std::span<const Link> links, int components, int rank = 0, std::string name = "f")
      : grid_(grid), links_(links.begin(), links.end()), components_(components), rank_(rank),
        name_(std::move(name)), first_(grid.first_block(rank)),
        blocks_(static_cast<std::size_t>(grid.first_block(rank + 1) - first_)) {
    if (static_cast<int>(choice.kinds.size()) != grid.places())
      throw Error("HybridField", "its blocks were chosen for another grid",
                  "choose_blocks(domain, grid.blocks(), ...)");
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu_begin = std::clock();
    parallel_ranges(static_cast<std::int64_t>(blocks_.size()), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t b = first; b < last; ++b)
        build_list(static_cast<int>(b), choice, flags);
    });
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report_.cpu_seconds = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
    parallel_ranges(static_cast<std::int64_t>(blocks_.size()), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t b = first; b < last; ++b)
        build_values(blocks_[static_cast<std::size_t>(b)], flags);
    });
    for (const Block& block : blocks_) {
      if (!block.list) continue;
      ++report_.blocks;
      report_.cells += block.list->interior().size();
      report_.bytes += block.list->rows() * block.list->neighbour_stride() *
                       static_cast<std::int64_t>(sizeof(std::uint32_t));
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
  }

  /// Component `c` along the row at (y, z) of block `number` of the grid, which is one of these; `missing`
  /// stands in cells that are not listed. For reduction_over_ranks.
  void read_row(int number, std::int64_t y, std::int64_t z, int c, std::span<double> row,
                double missing) const {
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
  [[nodiscard]] Exchange exchange(const Exchange& pattern) {
    Exchange result(pattern.name(), pattern.direction(), pattern.crossings(), pattern.thinnest(), sizeof(T));
    result.add({this, name_, components_, {1, 1, 1}, 1, sizeof(T), {}}, grid_, rank_, Memory::host);
    result.pack = [this, known = Tables()](int b, const WireBoxes& boxes, void* wire, Stream&) mutable {
      const std::vector<std::int64_t>& elements = table(known, b, boxes, {});
      const T* const values = blocks_[static_cast<std::size_t>(b)].data();
      for_wire(boxes, elements, [&](std::int64_t element, std::int64_t place) {
        static_cast<T*>(wire)[place] = element == HybridBlock::none ? T{} : values[element];
      });
    };
    const bool home = pattern.direction() == Direction::ghost_to_owner;
    result.unpack = [this, home, known = Tables()](int b, const WireBoxes& boxes, const void* wire,
                                                   Stream&) mutable {
      const std::span<const Link> writers = home ? std::span<const Link>(links_) : std::span<const Link>();
      const std::vector<std::int64_t>& elements = table(known, b, boxes, writers);
      T* const values = blocks_[static_cast<std::size_t>(b)].data();
      for_wire(boxes, elements, [&](std::int64_t element, std::int64_t place) {
        if (element != HybridBlock::none) values[element] = static_cast<const T*>(wire)[place];
      });
    };
    return result;
  }

  /// In dense blocks, before an odd step: what it finds in walls.
  void to_walls() {
    for_walls([](T* values, const HybridBlock::WallPair& pair) { values[pair.wall] = values[pair.own]; });
  }
  /// After it: what it left there.
  void from_walls() {
    for_walls([](T* values, const HybridBlock::WallPair& pair) { values[pair.own] = values[pair.wall]; });
  }

private:
  using Tables = std::map<std::pair<int, const std::int32_t*>, std::vector<std::int64_t>>;

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
                                             Memory::host, all);
    block.cells.list = block.list.get();
    block.cells.stride[3] = block.list->slot_stride();
  }

  void build_values(Block& block, const FlagReader& flags) {
    if (block.list) {
      block.listed = std::make_unique<SparseField<T>>(*block.list, components_, Memory::host, name_);
      return;
    }
    FieldOptions options;
    options.components = components_;
    options.name = name_;
    block.dense = std::make_unique<Field<T>>(BlockGrid(block.cells.box), options);
    block.cells.stride = block.dense->view().strides();
    const Box around = block.cells.box.grow(1);
    block.flags.resize(static_cast<std::size_t>(around.volume()));
    flags(around, block.flags);
    block.walls = block.cells.walls(block.flags, links_);
  }

  /// The elements of the boxes of a table, found when it is used first; tables stay where they are.
  const std::vector<std::int64_t>& table(Tables& known, int b, const WireBoxes& boxes,
                                         std::span<const Link> links) {
    const auto [place, is_new] = known.try_emplace({b, boxes.rows});
    if (is_new) place->second = blocks_[static_cast<std::size_t>(b)].cells.elements(boxes, links);
    return place->second;
  }

  /// f(element, place on the wire) for all cells of the boxes.
  template <class F>
  static void for_wire(const WireBoxes& boxes, const std::vector<std::int64_t>& elements, F&& f) {
    auto element = elements.begin();
    for (std::int64_t b = 0; b < boxes.count; ++b) {
      const std::int32_t* const row = boxes.rows + b * WireBoxes::columns;
      const std::int64_t cells = std::int64_t{row[5]} * row[6] * row[7];
      for (std::int64_t i = 0; i < cells; ++i)
        f(*element++, row[8] + i);
    }
  }

  template <class F> void for_walls(F&& f) {
    for (Block& block : blocks_) {
      if (block.walls.empty()) continue;
      T* const values = block.data();
      parallel_ranges(static_cast<std::int64_t>(block.walls.size()),
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t i = first; i < last; ++i)
                          f(values, block.walls[static_cast<std::size_t>(i)]);
                      });
    }
  }

  BlockGrid grid_;
  std::vector<Link> links_;
  int components_;
  int rank_;
  std::string name_;
  int first_; // block of this rank
  ListReport report_;
  std::vector<Block> blocks_;
};

} // namespace heddle

#endif
