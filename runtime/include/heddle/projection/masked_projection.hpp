// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROJECTION_MASKED_PROJECTION_HPP
#define HEDDLE_PROJECTION_MASKED_PROJECTION_HPP

#include <cstdint>
#include <memory>
#include <span>

#include "heddle/grid/field.hpp"
#include "heddle/poisson/boundary_lift.hpp"
#include "heddle/poisson/slab_poisson.hpp"
#include "heddle/projection/flow_operators.hpp"
#include "heddle/projection/topography.hpp"
#include "heddle/solvers/solve.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// When a projection around topography stops.
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
/// The levels may be split among the ranks of a transport, as in SlabProjection: iterations are then those of
/// one rank, since sums are those of all ranks.
///
/// Memory: the solver's array, four fields and one byte per cell. Real: double or float.
template <class Real> class MaskedProjection {
public:
  /// On one rank. transform: as for Projection. Throws Error as Projection and Topography do.
  MaskedProjection(const StaggeredGrid& grid, std::span<const std::uint8_t> solid,
                   Memory memory = Memory::host, MaskedOptions options = {},
                   std::unique_ptr<PlaneTransform<Real>> transform = nullptr);
  /// On the ranks of a transport, which must outlive this: solid has all cells on every rank, velocities have
  /// the levels first_level() <= k < last_level(). All ranks make the same calls, norms() included. Throws
  /// Error as SlabPoisson does, too.
  MaskedProjection(const StaggeredGrid& grid, std::span<const std::uint8_t> solid, Transport& transport,
                   Memory memory = Memory::host, MaskedOptions options = {},
                   std::unique_ptr<PlaneTransform<Real>> transform = nullptr);
  ~MaskedProjection();
  MaskedProjection(MaskedProjection&&) noexcept;
  MaskedProjection& operator=(MaskedProjection&&) noexcept;
  MaskedProjection(const MaskedProjection&) = delete;
  MaskedProjection& operator=(const MaskedProjection&) = delete;

  /// The levels of this rank.
  [[nodiscard]] std::int64_t first_level() const { return solver_.first_level(); }
  [[nodiscard]] std::int64_t last_level() const { return solver_.last_level(); }

  /// Projects: sets velocities on closed faces to 0 and makes the rest free of divergence to the tolerance.
  /// Waits for the stream once per iteration. cycles of the result: iterations; measure: what is left of the
  /// divergence.
  Solution operator()(const Velocity<Real>& velocity, double step, Stream& stream);
  Solution operator()(const Velocity<Real>& velocity, double step = 1);

  /// One solve of the box, as PALM does it: right-hand side and correction know the solid cells, the operator
  /// does not, so that divergence is left at the walls.
  void project_once(const Velocity<Real>& velocity, double step, Stream& stream);
  void project_once(const Velocity<Real>& velocity, double step = 1);

  /// The norms over the fluid cells of all ranks; waits for the stream.
  [[nodiscard]] DivergenceNorms norms(const Velocity<Real>& velocity, Stream& stream) const;
  [[nodiscard]] DivergenceNorms norms(const Velocity<Real>& velocity) const;

  [[nodiscard]] const FlowOperators<Real>& operators() const noexcept { return operators_; }
  [[nodiscard]] const Topography& topography() const noexcept { return topography_; }
  [[nodiscard]] FieldView<const Real> pressure() const { return pi_.view(); }

private:
  enum Sum : int { r_z_even, r_z_odd, p_q, r_r, total, sum_count };
  struct Ranks; // what crosses between ranks

  MaskedProjection(const StaggeredGrid& grid, std::span<const std::uint8_t> solid,
                   std::unique_ptr<Transport> alone, Memory memory, MaskedOptions options,
                   std::unique_ptr<PlaneTransform<Real>> transform);
  [[nodiscard]] FieldView<Real> solver_array() const noexcept;
  [[nodiscard]] Real* sum(Sum which) const noexcept { return sums_.data() + which; }
  [[nodiscard]] double own_value(Sum which, Stream& stream) const;
  /// Of all ranks.
  [[nodiscard]] double value(Sum which, Stream& stream) const;
  /// Puts the sum of all ranks where kernels read that of this one.
  void add_up(Sum which, Stream& stream) const;
  void right_side(const Velocity<Real>& velocity, double step, Stream& stream);
  void fill(FieldView<Real> p, SidePressure sides, Stream& stream) const;
  void fill_faces(const Velocity<Real>& velocity, Stream& stream) const;
  void correct(FieldView<Real> p, const Velocity<Real>& velocity, double step, Stream& stream) const;
  /// Residual of pi, without its mean, into r and the solver's array. Returns its norm.
  double start(Stream& stream);
  double norm_of_right_side(Stream& stream);
  /// Starts from no pressure.
  void forget(Stream& stream);
  void reset_sums(Stream& stream);
  void iterate(std::int64_t iteration, Stream& stream);

  std::unique_ptr<Transport> alone_; // of the only rank, or null
  SlabPoisson<Real> solver_;         // of corrections: no boundary values
  BoundaryLift<Real> lift_;
  FlowOperators<Real> operators_;
  Topography topography_;
  std::unique_ptr<Ranks> ranks_;
  MaskedOptions options_;
  bool singular_;
  mutable Buffer<Real> values_; // the solver's array
  mutable Field<Real> pi_, p_, q_, r_;
  mutable Buffer<Real> sums_; // results of reductions, where kernels read them
  mutable Buffer<Real> work_;
};

} // namespace heddle

#endif
