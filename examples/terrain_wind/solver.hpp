// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SOLVER_HPP
#define HEDDLE_SOLVER_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "domain.hpp"
#include "heddle/buffer.hpp"
#include "heddle/checkpoint.hpp"
#include "heddle/index_list.hpp"
#include "heddle/sparse_field.hpp"
#include "heddle/stream.hpp"
#include "heddle/task_graph.hpp"
#include "units.hpp"
#include "wind_sweeps.hpp"

namespace terrain_wind {

/// A list of boundary cells in the memory of the solver, with what the kernels read for each entry.
struct BoundaryList {
  heddle::Buffer<std::uint32_t> cells;
  heddle::Buffer<std::uint32_t> mask; ///< bit q: population q comes in
  heddle::Buffer<float> speed;        ///< lattice units
};

/// The generated kernels on the air of a domain, in the order of a time step.
class Solver {
public:
  Solver(const Domain& domain, const LogProfile& wind, const Units& units, heddle::Memory memory);
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Advances by 2 * `pairs` steps: an even and an odd one each.
  void run(std::int64_t pairs) { loop_.run(pairs); }

  /// Computes density and velocity from the populations.
  void measure() { moments_graph_.run(); }
  /// Adds the velocity that `measure` found to the mean.
  void sample();
  /// Highest speed of the last `measure`, in cells a step; NaN where any value is.
  [[nodiscard]] double highest_speed() const;

  /// What a run needs to go on from between two `run`s; the velocities at the open faces are made anew by each even step.
  void add_to(heddle::Checkpoint& checkpoint);

  [[nodiscard]] const heddle::IndexList& list() const { return list_; }
  [[nodiscard]] const heddle::SparseField<float>& density() const { return rho_; }
  [[nodiscard]] const heddle::SparseField<float>& velocity() const { return u_; }
  [[nodiscard]] const heddle::SparseField<float>& mean() const { return mean_; }

private:
  heddle::IndexList list_;
  heddle::SparseField<float> f_, rho_, u_, mean_;
  BoundaryList inlet_, open_;
  wind::Average<float> average_;
  heddle::TaskGraph loop_, moments_graph_, average_graph_;
  std::int64_t samples_ = 0;
};

} // namespace terrain_wind

#endif
