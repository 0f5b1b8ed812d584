// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROJECTION_PROJECTION_HPP
#define HEDDLE_PROJECTION_PROJECTION_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/poisson/boundary_lift.hpp"
#include "heddle/poisson/plane_transform.hpp"
#include "heddle/poisson/poisson.hpp"
#include "heddle/projection/flow_operators.hpp"
#include "heddle/projection/staggered_grid.hpp"

namespace heddle {

template <class Key> class GraphCache;

/// Makes a velocity free of divergence: div grad p = div u / step, u -= step * grad p (Chorin 1968). The
/// right-hand side goes from the divergence straight into the solver's array and the correction reads p from
/// there; beside that array there is nothing of the size of a field. Where open sides have a pressure that is
/// not 0, each projection also accelerates the flow from the higher to the lower one, for the time `step`.
///
/// T: type of the velocity, P: of the pressure. <double, double>, <float, float>; and <double, float>, where
/// a projection is repeated `rounds` times, each time on what the one before left: the pressure costs half
/// the traffic and the velocity comes out free of divergence to double precision. The solver then works on
/// the residual in the way of iterative refinement.
template <class T, class P = T> class Projection {
public:
  /// transform: of pressure_problem(grid); the solver's default where it is null. rounds: 0 for as many as
  /// the types need, 1 or 3. Throws Error as PoissonSolver and pressure_problem do, and for a negative number
  /// of rounds.
  explicit Projection(const StaggeredGrid& grid, Memory memory = Memory::host,
                      std::unique_ptr<PlaneTransform<P>> transform = nullptr, int rounds = 0);

  ~Projection();
  Projection(Projection&&) noexcept;
  Projection& operator=(Projection&&) noexcept;
  Projection(const Projection&) = delete;
  Projection& operator=(const Projection&) = delete;

  /// Projects. Fills the faces at upper ends before and after; other ghost cells stay. On a device: puts the
  /// work into the stream, which can be captured; where velocity and step stay the same, as one CUDA graph.
  void operator()(const Velocity<T>& velocity, double step, Stream& stream);
  /// The same, done on return; for velocities in the host's memory.
  void operator()(const Velocity<T>& velocity, double step = 1);

  [[nodiscard]] const FlowOperators<T, P>& operators() const noexcept { return operators_; }
  /// What the last projection subtracted the gradient of (with several rounds: the last of them). Only
  /// interior cells.
  [[nodiscard]] FieldView<const P> pressure() const noexcept { return array(); }

  /// The parts, for right-hand sides that come from elsewhere: array() is what solver() solves in place.
  [[nodiscard]] PoissonSolver<P>& solver() noexcept { return solver_; }
  [[nodiscard]] FieldView<P> array() const noexcept;

private:
  void project(const Velocity<T>& velocity, double step, SidePressure sides, Stream& stream);

  FlowOperators<T, P> operators_;
  PoissonSolver<P> solver_; // of corrections: no boundary values
  BoundaryLift<P> lift_;
  int rounds_;
  mutable Buffer<P> values_; // a level before the first one, which the correction may read but does not use
  std::unique_ptr<GraphCache<std::vector<std::int64_t>>> captured_; // launches, by velocity and step
};

} // namespace heddle

#endif
