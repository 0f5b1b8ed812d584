// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HYBRID_HYBRID_SWEEP_HPP
#define HEDDLE_HYBRID_HYBRID_SWEEP_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"
#include "heddle/grid/halo_watch.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/hybrid/hybrid_field.hpp"

namespace heddle {

/// One step on all blocks of a HybridField: `Dense` and `Listed` are the sweeps of the two kernels, over one
/// field each. A task for TaskGraph; where that computes the interior while messages travel, the interior is
/// that of dense blocks, and listed ones belong to the border.
template <class Dense, class Listed> class HybridSweep {
public:
  /// The field must outlive this.
  template <class T>
  HybridSweep(HybridField<T>& f, const decltype(Dense::parameters)& dense,
              const decltype(Listed::parameters)& listed)
      : object_(&f), field_name_(f.name()), grid_(f.grid()), rank_(f.rank()), memory_(f.memory()) {
    for (auto& block : f.blocks()) {
      if (block.list)
        listed_.emplace_back(*block.listed, block.list->interior(), listed);
      else
        dense_.emplace_back(*block.dense, dense);
    }
    // What a step exchanges is that of any dense field.
    Field<T> any(BlockGrid(Box{{0, 0, 0}, {1, 1, 1}}), {.components = f.components()});
    const Dense step(any, dense);
    name_ = step.name();
    for (const FieldAccess& access : step.accesses())
      reach_ = std::max(reach_, access.reach);
    before_ = [&f, pattern = step.before()] { return f.exchange(pattern); };
    after_ = [&f, pattern = step.after()] { return f.exchange(pattern); };
    watch_ = HaloWatch(name_, {&grid_, rank_}, accesses());
  }

  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] Memory memory() const { return memory_; }
  [[nodiscard]] std::vector<FieldAccess> accesses() const {
    return {{object_, field_name_, AccessMode::read, reach_},
            {object_, field_name_, AccessMode::write, reach_}};
  }
  [[nodiscard]] const BlockGrid& grid() const { return grid_; }
  [[nodiscard]] int rank() const { return rank_; }
  /// What other blocks have to send before a step, and what a step leaves for them.
  [[nodiscard]] BoundExchange before() const { return before_(); }
  [[nodiscard]] BoundExchange after() const { return after_(); }

  /// A call without a graph. Throws Error as Sweep does where an exchange is missing.
  void operator()(Stream& stream) {
    watch_.follow();
    in_graph(stream);
  }
  void in_graph(Stream& stream) { (*this)(stream, BlockPart()); }
  void operator()(Stream& stream, const BlockPart& part) {
    const std::size_t dense = dense_.size();
    const std::size_t listed = part.cells == BlockPart::Cells::interior ? 0 : listed_.size();
    side_by_side(stream, static_cast<int>(dense + listed), [&](int piece, Stream& branch) {
      const auto n = static_cast<std::size_t>(piece);
      if (n < dense)
        dense_[n](branch, part);
      else
        call_in_graph(listed_[n - dense], branch);
    });
  }

private:
  AccessedObject object_;
  std::string field_name_;
  BlockGrid grid_;
  int rank_;
  Memory memory_;
  std::string name_;
  int reach_ = 0;
  std::vector<Dense> dense_;
  std::vector<Listed> listed_;
  HaloWatch watch_;
  std::function<BoundExchange()> before_;
  std::function<BoundExchange()> after_;
};

} // namespace heddle

#endif
