// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRAPH_LAYER_SWEEP_HPP
#define HEDDLE_GRAPH_LAYER_SWEEP_HPP

#include <array>
#include <cstddef>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/graph/sweep.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/region_sweep.hpp"

namespace heddle {

/// A layer of cells at a face of the domain, or at an edge where faces meet: for each axis -1 for the first
/// layer across it, 1 for the last, 0 for all cells.
using Layer = std::array<int, 3>;

/// A boundary sweep: over the cells of Derived::layer in each block that has some. TaskGraph splits it as it
/// splits sweeps over whole blocks, so that only its cells at the border of a block delay messages.
template <class Derived, int axes, class Scalars = NoParameters>
class LayerSweep : public Sweep<Derived, axes, Scalars> {
public:
  using base = LayerSweep;
  using Exchanged = DenseExchange;
  static constexpr bool in_boxes = true;
  static constexpr bool some_cells = true; ///< what it reaches lies outside of the domain, in no block

  /// Throws Error where a face of the layer is periodic: no cell lies at it.
  template <class... Arguments>
  explicit LayerSweep(const char* name, const Arguments&... arguments)
      : Sweep<Derived, axes, Scalars>(name, arguments...) {
    this->bind(arguments...);
    cells_ = this->grid().domain();
    for (int axis = 0; axis < 3; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      if (Derived::layer[d] == 0) continue;
      if (this->grid().periodic()[d])
        throw Error(name,
                    "the domain is periodic along axis " + std::to_string(axis) +
                        ", across which a "
                        "boundary condition is set",
                    "construct the BlockGrid without .periodic along that axis, or leave the sweep out");
      cells_ = cells_.intersect(this->grid().domain().layer(axis, Derived::layer[d] > 0));
    }
  }

  /// Whether it has cells in this part of the blocks.
  [[nodiscard]] bool has(const BlockPart& part) const {
    for (int block = 0; block < this->blocks(); ++block) {
      if (!boxes_of_region(this->grid(), this->rank(), block, cells_, part).empty()) return true;
    }
    return false;
  }

  using Sweep<Derived, axes, Scalars>::operator();
  void in_graph(Stream& stream) const { (*this)(stream, BlockPart()); }
  /// Its cells in `part` alone.
  void operator()(Stream& stream, const BlockPart& part) const {
    this->each_block(stream, [&](int block, Stream& branch) {
      for (const Box& box : boxes_of_region(this->grid(), this->rank(), block, cells_, part))
        this->call(branch, {.block = block, .box = &box});
    });
  }

private:
  Box cells_; // in domain coordinates
};

} // namespace heddle

#endif
