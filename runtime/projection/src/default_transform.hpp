// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PROJECTION_DEFAULT_TRANSFORM_HPP
#define HEDDLE_PROJECTION_DEFAULT_TRANSFORM_HPP

#include <memory>

#include "heddle/memory.hpp"
#include "heddle/plane_transform.hpp"
#include "heddle/poisson_problem.hpp"

namespace heddle::detail {

/// The transform of a problem that nobody chose another one for.
template <class Real>
std::unique_ptr<PlaneTransform<Real>> default_transform(const PoissonProblem& problem, Memory memory) {
  return make_plane_transform<Real>({.kind_x = transform_of(problem.x),
                                     .nx = problem.x.unknowns,
                                     .kind_y = transform_of(problem.y),
                                     .ny = problem.y.unknowns},
                                    memory);
}

} // namespace heddle::detail

#endif
