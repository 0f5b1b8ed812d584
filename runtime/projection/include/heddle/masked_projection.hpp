// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_MASKED_PROJECTION_HPP
#define HEDDLE_MASKED_PROJECTION_HPP

#include <cstdint>
#include <memory>
#include <span>

#include "heddle/field.hpp"
#include "heddle/flow_operators.hpp"
#include "heddle/poisson.hpp"
#include "heddle/solve.hpp"
#include "heddle/topography.hpp"

namespace heddle {

/// When a projection around topography ends.
struct MaskedOptions {
  double tolerance = 1e-6; // of the divergence that is left, as a part of that before (both in the 2-norm)
  std::int64_t most_iterations = 50;
  bool warm_start = true; // from the pressure of the projection before
};

/// Makes a velocity around solid cells free of divergence: the seven-point equation whose faces towards solid
/// cells are closed, by conjugate gradients that the transform solver of the box without solid cells
/// preconditions. A few iterations suffice, whatever the resolution: the two equations differ at the walls
/// only. The constant, which the equation leaves open where all sides are walls or periodic, is taken out of
/// the right-hand side and is no part of what the preconditioner returns.
///
/// Memory: the solver's array, four fields and a byte a cell. Real: double or float.
template <class Real> class MaskedProjection {
public:
  /// transform: as for Projection. Throws Error as Projection and Topography do.
  MaskedProjection(const StaggeredGrid& grid, std::span<const std::uint8_t> solid,
                   Memory memory = Memory::host, MaskedOptions options = {},
                   std::unique_ptr<PlaneTransform<Real>> transform = nullptr);

  /// Projects: sets velocities on closed faces to 0 and makes the rest free of divergence to the tolerance.
  /// Waits for the stream once an iteration. cycles of the result: iterations; measure: what is left of the
  /// divergence.
  Solution operator()(const Velocity<Real>& velocity, double step, Stream& stream);
  Solution operator()(const Velocity<Real>& velocity, double step = 1);

  /// One solve of the box, as PALM does it: right-hand side and correction know the solid cells, the operator
  /// does not, so that divergence is left at the walls.
  void project_once(const Velocity<Real>& velocity, double step, Stream& stream);
  void project_once(const Velocity<Real>& velocity, double step = 1);

  /// Of the fluid cells; waits for the stream.
  [[nodiscard]] DivergenceNorms norms(const Velocity<Real>& velocity, Stream& stream) const;
  [[nodiscard]] DivergenceNorms norms(const Velocity<Real>& velocity) const;

  [[nodiscard]] const FlowOperators<Real>& operators() const noexcept { return operators_; }
  [[nodiscard]] const Topography& topography() const noexcept { return topography_; }
  [[nodiscard]] FieldView<const Real> pressure() const { return pi_.view(); }

private:
  enum Sum : int { r_z_even, r_z_odd, p_q, r_r, total, sum_count };

  [[nodiscard]] FieldView<Real> solver_array() const noexcept;
  [[nodiscard]] Real* sum(Sum which) const noexcept { return sums_.data() + which; }
  [[nodiscard]] double value(Sum which, Stream& stream) const;
  void right_side(const Velocity<Real>& velocity, double step, Stream& stream);
  void fill(FieldView<Real> p, Stream& stream) const;
  void correct(FieldView<Real> p, const Velocity<Real>& velocity, double step, Stream& stream) const;
  /// Residual of pi, without its mean, into r and the solver's array. Returns its norm.
  double start(Stream& stream);
  double norm_of_right_side(Stream& stream);
  /// Starts from no pressure.
  void forget(Stream& stream);
  void reset_sums(Stream& stream);
  void iterate(std::int64_t iteration, Stream& stream);

  FlowOperators<Real> operators_;
  Topography topography_;
  PoissonSolver<Real> solver_;
  MaskedOptions options_;
  bool singular_;
  mutable Buffer<Real> values_; // the solver's array
  mutable Field<Real> pi_, p_, q_, r_;
  mutable Buffer<Real> sums_; // results of reductions, where kernels read them
  mutable Buffer<Real> work_;
};

} // namespace heddle

#endif
