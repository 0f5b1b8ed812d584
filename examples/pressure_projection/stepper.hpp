// SPDX-License-Identifier: Apache-2.0
#ifndef PRESSURE_PROJECTION_STEPPER_HPP
#define PRESSURE_PROJECTION_STEPPER_HPP

#include <cstdint>
#include <functional>
#include <vector>

#include "heddle/grid/field.hpp"
#include "heddle/projection/rank_values.hpp"
#include "heddle/projection/slab_projection.hpp"
#include "heddle/projection/staggered_grid.hpp"
#include "heddle/transport/transport.hpp"
#include "pressure_projection_sweeps.hpp"

namespace pressure_projection {

/// An incompressible flow: velocity, and what takes it from one time to the next. Each rank has some levels
/// of it, and all ranks make the same calls.
class Stepper {
public:
  Stepper(const heddle::StaggeredGrid& grid, double viscosity, heddle::Transport& transport);

  /// Of this rank's levels, counted from its first one.
  [[nodiscard]] heddle::Velocity<double> velocity() { return {u_.view(), v_.view(), w_.view()}; }
  heddle::Field<double>& u() { return u_; }
  heddle::Field<double>& w() { return w_; }

  /// The longest time step that stays stable for speeds up to `speed`.
  [[nodiscard]] double longest_step(double speed) const;
  /// Makes what was set as the velocity a flow: free of divergence, with its ghost cells.
  void start();
  /// Three Runge-Kutta stages, each with a projection. bulk: the mean of u that is kept by force; 0: none.
  void step(double time_step, double bulk = 0);
  /// The largest divergence, and the mean kinetic energy of a cell.
  [[nodiscard]] double divergence();
  [[nodiscard]] double energy();
  /// value(x, z) of all cells of a plane y = 0, x fastest, on every rank; z counted from this rank's first
  /// level.
  [[nodiscard]] std::vector<double> plane(const std::function<double(std::int64_t x, std::int64_t z)>& value);

private:
  void keep(double bulk);

  heddle::StaggeredGrid grid_;
  double viscosity_;
  heddle::SlabProjection<double> projection_;
  heddle::RankValues ranks_;
  heddle::Stream stream_;
  heddle::Field<double> u_, v_, w_, q_u_, q_v_, q_w_;
  Momentum<double> momentum_;
  Advance<double> advance_;
};

} // namespace pressure_projection

#endif
