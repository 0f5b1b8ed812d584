// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POISSON_BOUNDARY_LIFT_HPP
#define HEDDLE_POISSON_BOUNDARY_LIFT_HPP

#include <array>
#include <cstdint>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/poisson/poisson_problem.hpp"

namespace heddle {

/// Moves the boundary values of a problem to its right-hand side: their contributions to the equations of the
/// outermost unknowns are subtracted there, which leaves a problem with boundary values 0.
/// PoissonSolver::solve and SlabPoisson::solve call it.
template <class Real> class BoundaryLift {
public:
  /// Of the levels first <= k < last of a problem. Throws Error for a value at a periodic boundary.
  BoundaryLift(const PoissonProblem& problem, std::int64_t first_level, std::int64_t last_level,
               Memory memory = Memory::host);

  /// field: the unknowns of the levels, x fastest; pitches in reals. Does nothing where all values are 0.
  void operator()(Real* field, std::int64_t row_pitch, std::int64_t plane_pitch, Stream& stream) const {
    (*this)(field, 0, unknowns_[2], row_pitch, plane_pitch, stream);
  }
  /// Of some of the levels only, begin <= k < end, counted from the first one of field.
  void operator()(Real* field, std::int64_t begin, std::int64_t end, std::int64_t row_pitch,
                  std::int64_t plane_pitch, Stream& stream) const;

private:
  std::array<std::int64_t, 3> unknowns_;
  std::array<double, 3> lower_, upper_; // what is subtracted at x, y, z; times the density along x and y
  Buffer<Real> density_;                // of each level
};

} // namespace heddle

#endif
