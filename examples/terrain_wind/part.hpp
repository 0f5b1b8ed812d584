// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PART_HPP
#define HEDDLE_PART_HPP

#include <cmath>
#include <cstdint>

#include "domain.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/transport/transport.hpp"
#include "units.hpp"
#include "wind_sweeps.hpp"

namespace terrain_wind {

/// A list of boundary cells in the memory of the solver, with what the kernels read for each entry.
struct BoundaryList {
  heddle::Buffer<std::uint32_t> cells;
  heddle::Buffer<std::uint32_t> mask; ///< bit q: population q comes in
  heddle::Buffer<float> speed;        ///< lattice units
};

/// The larger one; NaN where one is.
[[nodiscard]] inline double higher(double a, double b) {
  return b <= a || std::isnan(a) ? a : b;
}

/// The air of one rank: its slab of the domain, the fields there, and the generated sweeps on them.
class Part {
public:
  Part(const Domain& domain, const LogProfile& wind, const Units& units, const heddle::BlockGrid& grid,
       heddle::Transport& transport, heddle::Memory memory);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// An even and an odd step.
  void add_steps(heddle::TaskGraph& loop);
  /// Density and velocity from the populations.
  void add_moments(heddle::TaskGraph& graph) { graph.add(moments_); }
  /// Takes the velocity into the mean, with the share that was set last.
  void add_average(heddle::TaskGraph& graph) { graph.add(average_); }
  void set_share(double share) { average_.parameters.share = share; }
  /// Highest square of the speed; NaN where any value is.
  [[nodiscard]] double highest_square() const;
  void add_to(heddle::Checkpoint& checkpoint);

  [[nodiscard]] const heddle::IndexList& list() const { return list_; }
  [[nodiscard]] const heddle::SparseField<float>& density() const { return rho_; }
  [[nodiscard]] const heddle::SparseField<float>& velocity() const { return u_; }
  [[nodiscard]] const heddle::SparseField<float>& mean() const { return mean_; }

private:
  heddle::IndexList list_;
  heddle::SparseField<float> f_, rho_, u_, mean_;
  BoundaryList inlet_, open_;
  wind::StreamCollideEven<float> even_;
  wind::StreamCollideOdd<float> odd_;
  heddle::HaloExchange before_odd_, after_odd_;
  wind::MomentsEven<float> moments_;
  wind::Average<float> average_;
};

} // namespace terrain_wind

#endif
