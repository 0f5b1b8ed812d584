// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVER_HPP
#define HEDDLE_SOLVER_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "domain.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/transport/ranks.hpp"
#include "part.hpp"
#include "units.hpp"

namespace terrain_wind {

/// The generated kernels on the air of a domain, in the order of a time step, on the ranks that there are.
/// The bits do not depend on their number.
class Solver {
public:
  /// All threads and processes construct it, and call it, together. The ranks must outlive it.
  Solver(const Domain& domain, const LogProfile& wind, const Units& units, heddle::Memory memory,
         heddle::Ranks& ranks);
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Advances by 2 * `pairs` steps: an even and an odd one each.
  void run(std::int64_t pairs) { loop_.run(pairs); }

  /// Computes density and velocity from the populations.
  void measure() { moments_graph_.run(); }
  /// Adds the velocity that `measure` found to the mean.
  void sample();
  /// Highest speed of the last `measure`, in cells per step; NaN where any value is.
  [[nodiscard]] double highest_speed() const;

  /// What a run needs to go on from between two `run`s; the velocities at the open faces are made anew by
  /// each even step.
  void add_to(heddle::Checkpoint& checkpoint);

  /// Slabs with as much air each, as the processes of the ranks share them: a part for each block that is
  /// here.
  [[nodiscard]] heddle::BlockGrid process_grid() const { return ranks_->process_grid(grid_); }
  [[nodiscard]] const std::vector<std::unique_ptr<Part>>& parts() const { return parts_; }
  /// What the lists of the ranks of this thread took to build.
  [[nodiscard]] heddle::ListReport lists() const;
  /// Cells of air of the parts that are here.
  [[nodiscard]] std::int64_t cells_here() const;

private:
  heddle::Ranks* ranks_;
  heddle::BlockGrid grid_;
  std::vector<std::unique_ptr<Part>> parts_;
  heddle::TaskGraph loop_, moments_graph_, average_graph_;
  std::function<double()> highest_square_;
  std::int64_t samples_ = 0;
};

} // namespace terrain_wind

#endif
