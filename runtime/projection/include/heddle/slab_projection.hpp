// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SLAB_PROJECTION_HPP
#define HEDDLE_SLAB_PROJECTION_HPP

#include <cstdint>
#include <vector>

#include "heddle/flow_operators.hpp"
#include "heddle/slab_poisson.hpp"
#include "heddle/staggered_grid.hpp"
#include "heddle/transport.hpp"

namespace heddle {

/// A projection whose levels are split among the ranks of a transport, in the host's memory: the same as
/// Projection on one rank, see SlabPoisson for how far to the bit. Only faces between levels of two ranks
/// cross, beside what the solver sends.
template <class Real> class SlabProjection {
public:
  /// All ranks construct the same projections in the same order. Throws Error as SlabPoisson and Projection
  /// do.
  SlabProjection(const StaggeredGrid& grid, Transport& transport, SlabMethod method = SlabMethod::automatic);

  /// The levels of this rank, which views hold: first <= k < last.
  [[nodiscard]] std::int64_t first_level() const { return solver_.first_level(); }
  [[nodiscard]] std::int64_t last_level() const { return solver_.last_level(); }

  /// Projects this rank's levels; all ranks call it together. Fills the faces at upper ends, those towards
  /// the rank above included.
  void operator()(const Velocity<Real>& velocity, double step = 1);

  [[nodiscard]] const FlowOperators<Real>& operators() const noexcept { return operators_; }
  [[nodiscard]] const SlabPoisson<Real>& solver() const noexcept { return solver_; }

private:
  void fill(const Velocity<Real>& velocity);
  /// Sends a level to the rank below (by = -1) or above (1), and receives one from the other side.
  void pass(const std::vector<Real>& level, std::vector<Real>& received, int by);

  Transport& transport_;
  SlabPoisson<Real> solver_;
  FlowOperators<Real> operators_;
  std::vector<Real> values_; // the level below, then the solver's levels
  int down_, up_;
  std::int64_t step_ = 0;
};

} // namespace heddle

#endif
