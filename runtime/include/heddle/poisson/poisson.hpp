// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POISSON_POISSON_HPP
#define HEDDLE_POISSON_POISSON_HPP

#include <cstdint>
#include <memory>
#include <string>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/poisson/plane_transform.hpp"
#include "heddle/poisson/poisson_problem.hpp"

namespace heddle {

/// Solves a PoissonProblem in place: transforms along x and y, a tridiagonal system along z for each mode,
/// and the inverse transforms. The matrix is never stored: coefficients are one-dimensional tables.
///
/// The elimination has no subtraction (row excess in place of pivots: G. Alefeld's and R. Varga's M-matrix
/// form), so that pivots of long waves keep all their digits, and the singular mode of a problem that is
/// periodic or Neumann all around has a last pivot of exactly 0: its last unknown is set to 0, whatever the
/// sum of the right-hand side.
template <class Real> class PoissonSolver {
public:
  /// Uses the transform for problem.x and problem.y. memory: of the fields to solve. Throws Error if the
  /// problem is invalid (see poisson_problem.hpp) or the transform does not fit it.
  PoissonSolver(const PoissonProblem& problem, std::unique_ptr<PlaneTransform<Real>> transform,
                Memory memory = Memory::host);
  /// As above, but also chooses the transform (see make_plane_transform) and the pitch of rows.
  explicit PoissonSolver(const PoissonProblem& problem, Memory memory = Memory::host,
                         TransformBackEnd back_end = TransformBackEnd::automatic);
  ~PoissonSolver();
  PoissonSolver(PoissonSolver&&) noexcept;
  PoissonSolver& operator=(PoissonSolver&&) noexcept;
  PoissonSolver(const PoissonSolver&) = delete;
  PoissonSolver& operator=(const PoissonSolver&) = delete;

  /// A field: z planes of rows() rows of row_pitch() reals, x fastest. Only unknowns() of them mean anything.
  [[nodiscard]] std::int64_t row_pitch() const;
  [[nodiscard]] std::int64_t rows() const;
  [[nodiscard]] std::int64_t plane_pitch() const;
  /// Reals to allocate for a field.
  [[nodiscard]] std::int64_t size() const;

  /// Replaces the right-hand side by p, which has the problem's boundary values. On the device: puts the work
  /// into the stream.
  void solve(Real* field, Stream& stream);
  /// The same, done on return.
  void solve(Real* field);
  /// solve() of what `source` writes, with `use` of each plane when it and the one below hold p: on the host
  /// while they are in a thread's cache (see PlaneTransform::forward_of).
  void solve(const PlaneWork& source, const PlaneWork& use, Real* field, Stream& stream);

  /// Whether project() can be called: see PlaneTransform::takes_flow.
  [[nodiscard]] bool takes_flow() const;
  /// Removes the divergence of a flow on the grid of the problem, whose boundary values are 0; the field is
  /// scratch. Puts the work into the stream.
  void project(const PeriodicFlow<Real>& flow, Real* field, Stream& stream);

  /// The steps of solve, for callers that do work in between: forward(), columns(), inverse(). Without the
  /// preceding step, a BoundaryLift, boundary values are 0.
  void forward(Real* field, Stream& stream);
  void columns(Real* field, Stream& stream);
  void inverse(Real* field, Stream& stream);

  /// Bytes that the solver keeps beside the field.
  [[nodiscard]] std::int64_t workspace_bytes() const;
  [[nodiscard]] std::string description() const;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace heddle

#endif
