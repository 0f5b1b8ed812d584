// SPDX-License-Identifier: Apache-2.0
#ifndef PETSC_POISSON_ALONE_HPP
#define PETSC_POISSON_ALONE_HPP

#include <cstdint>
#include <functional>

#include "problem.hpp"

/// The same by heddle::ConjugateGradient, without PETSc, on one rank: a solver that is set up.
std::function<Solved()> solver_alone(std::int64_t n);

#endif
