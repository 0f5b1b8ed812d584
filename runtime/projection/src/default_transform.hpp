// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROJECTION_DEFAULT_TRANSFORM_HPP
#define HEDDLE_PROJECTION_DEFAULT_TRANSFORM_HPP

#include <memory>

#include "heddle/memory.hpp"
#include "heddle/poisson_problem.hpp"
#include "heddle/reference_transform.hpp"

namespace heddle::detail {

/// The transform of a problem that nobody chose another one for.
template <class Real>
std::unique_ptr<PlaneTransform<Real>> default_transform(const PoissonProblem& problem, Memory) {
  return reference_plane_transform<Real>(transform_of(problem.x), problem.x.unknowns, transform_of(problem.y),
                                         problem.y.unknowns);
}

} // namespace heddle::detail

#endif
