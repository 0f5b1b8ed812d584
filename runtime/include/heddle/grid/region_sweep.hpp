// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_REGION_SWEEP_HPP
#define HEDDLE_GRID_REGION_SWEEP_HPP

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/lifetime.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/grid/halo_watch.hpp"

namespace heddle {

/// The cells of a block of `rank` that lie in the box `cells` of the domain and in a part of the block,
/// counted from its first cell, in boxes that do not meet.
[[nodiscard]] std::vector<Box> boxes_of_region(const BlockGrid& grid, int rank, int block, const Box& cells,
                                               const BlockPart& part);

/// A kernel on one box of the domain: the layer of cells at a wall, an inlet, a source. It is a task for
/// TaskGraph, which splits it as it splits sweeps over whole blocks: between a step and its exchange, only
/// its cells at the border delay the messages.
///
///     heddle::RegionSweep lid("lid", f, grid.domain().layer(2, true), 0,
///                          [&](int block, const heddle::Box& cells, heddle::Stream& stream) {
///                            flow::lid_cuda(heddle::part(f.view(block), cells),
///                                           heddle::walls_of(f, block, cells), u_lid, stream.native());
///                          });
///     loop.add(step);
///     loop.add(lid);
class RegionSweep {
public:
  /// Computes `cells` of a block of this rank, counted from its first cell, in `stream`: on a device blocks
  /// go side by side. If an access reaches further, other cells may be computed at the same time.
  using Kernel = std::function<void(int block, const Box& cells, Stream& stream)>;

  /// Reads and writes `field`, up to `reach` cells beyond the cells that it computes; 0: only these. cells:
  /// in domain coordinates; cells outside the blocks of this rank are computed by other ranks.
  template <class T>
  RegionSweep(std::string name, const Field<T>& field, const Box& cells, int reach, Kernel kernel)
      : RegionSweep(std::move(name), field, cells,
                    {{&field, field.name(), AccessMode::read, reach},
                     {&field, field.name(), AccessMode::write, reach}},
                    std::move(kernel)) {}

  /// The same with all objects that the kernel accesses, on the blocks of `field`. Throws Error without a
  /// kernel.
  template <class T>
  RegionSweep(std::string name, const Field<T>& field, const Box& cells, std::vector<FieldAccess> accesses,
              Kernel kernel)
      : RegionSweep(std::move(name), field.grid(), field.rank(), field.memory(), cells, std::move(accesses),
                    std::move(kernel)) {}

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] Memory memory() const noexcept { return memory_; }
  /// By which graphs find out that it has ended.
  [[nodiscard]] const Lifetime& lifetime() const noexcept { return lifetime_; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const { return accesses_; }
  [[nodiscard]] const BlockGrid& grid() const noexcept { return *grid_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }

  /// Whether any of its cells are in this part of the blocks. TaskGraph leaves out parts without cells.
  [[nodiscard]] bool has(const BlockPart& part) const;

  static constexpr bool in_boxes = true;
  static constexpr bool some_cells = true;

  /// A call without a graph: the fields know that it has changed them (HaloState).
  void operator()(Stream& stream) const {
    watch_.follow();
    in_graph(stream);
  }
  void in_graph(Stream& stream) const { (*this)(stream, BlockPart()); }
  /// Its cells in `part` alone.
  void operator()(Stream& stream, const BlockPart& part) const;

private:
  RegionSweep(std::string name, const BlockGrid& grid, int rank, Memory memory, const Box& cells,
              std::vector<FieldAccess> accesses, Kernel kernel);
  [[nodiscard]] std::vector<Box> boxes(int block, const BlockPart& part) const {
    return boxes_of_region(*grid_, rank_, block, cells_, part);
  }

  std::string name_;
  const BlockGrid* grid_;
  int rank_;
  Memory memory_;
  Box cells_;
  std::vector<FieldAccess> accesses_;
  Kernel kernel_;
  HaloWatch watch_;
  Lifetime lifetime_;
};

} // namespace heddle

#endif
