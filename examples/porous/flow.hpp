// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POROUS_FLOW_HPP
#define HEDDLE_POROUS_FLOW_HPP

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/reduction/reduction.hpp"
#include "heddle/transport/ranks.hpp"
#include "part.hpp"
#include "voxels.hpp"

namespace porous {

/// A steady flow, and how it was reached.
struct Steady {
  double flux = 0; ///< mean velocity along the axis over all voxels, solid ones too
  std::int64_t steps = 0;
  double seconds = 0; ///< in steps
  bool met = false;   ///< the flux changed by less than the tolerance at the end
};

/// Creeping flow through the pores of a periodic image, on lists of its pore voxels, one a rank, in f32 or
/// f64. At rest at first. The bits do not depend on the number of ranks.
template <class T> class Flow {
public:
  /// All threads and processes construct it, and call it, together. The ranks must outlive it. Throws
  /// heddle::Error where there is no pore or not enough memory.
  Flow(const Voxels& image, const Drive& drive, heddle::Memory memory, heddle::Ranks& ranks);
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  /// Steps until the flux changes by less than `tolerance` of itself in `every` steps (an even number), but
  /// at most `most` steps. seen: called after each `every` steps with the steps so far and the flux.
  Steady run(double tolerance, std::int64_t every, std::int64_t most,
             const std::function<void(std::int64_t, double)>& seen = {});

  /// What the lists of the ranks of this thread took to build.
  [[nodiscard]] heddle::ListReport lists() const;
  /// Two steps.
  void step_twice() { loop_.run(1); }

  /// Permeability in voxels^2 by Darcy's law, flux = permeability / viscosity * force. For an image in a
  /// duct, `length` of `period` voxels along the axis are the medium, which has nearly all of the pressure
  /// drop.
  [[nodiscard]] static double permeability(const Drive& drive, double flux, std::int64_t length,
                                           std::int64_t period) {
    return drive.viscosity * flux / drive.force * static_cast<double>(length) / static_cast<double>(period);
  }

  /// Slabs with as many pores each, as the processes of the ranks share them.
  [[nodiscard]] heddle::BlockGrid process_grid() const { return ranks_->process_grid(grid_); }
  /// Velocity of the state after the last run(), of each block that is here.
  [[nodiscard]] std::vector<const heddle::SparseField<T>*> velocity() const;

private:
  [[nodiscard]] double flux();

  heddle::Ranks* ranks_;
  Drive drive_;
  double voxels_;
  heddle::BlockGrid grid_;
  std::vector<std::unique_ptr<Part<T>>> parts_;
  heddle::TaskGraph loop_, moments_;
  std::optional<heddle::Reduction<T>> total_; // of the velocity along the axis
};

extern template class Flow<float>;
extern template class Flow<double>;

} // namespace porous

#endif
