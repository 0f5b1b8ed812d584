// SPDX-License-Identifier: Apache-2.0
#ifndef PRESSURE_PROJECTION_STEPPER_HPP
#define PRESSURE_PROJECTION_STEPPER_HPP

#include <cstdint>

#include "heddle/field.hpp"
#include "heddle/projection.hpp"
#include "heddle/staggered_grid.hpp"
#include "pressure_projection_sweeps.hpp"

namespace pressure_projection {

/// An incompressible flow: velocity, and what takes it from one time to the next.
class Stepper {
public:
  Stepper(const heddle::StaggeredGrid& grid, double viscosity);

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

private:
  void keep(double bulk);

  heddle::StaggeredGrid grid_;
  double viscosity_;
  heddle::Projection<double> projection_;
  heddle::Stream stream_;
  heddle::Field<double> u_, v_, w_, q_u_, q_v_, q_w_;
  Momentum<double> momentum_;
  Advance<double> advance_;
};

} // namespace pressure_projection

#endif
