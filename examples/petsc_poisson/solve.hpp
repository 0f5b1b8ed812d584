// SPDX-License-Identifier: Apache-2.0
#ifndef PETSC_POISSON_SOLVE_HPP
#define PETSC_POISSON_SOLVE_HPP

#include <petscksp.h>

#include <array>
#include <functional>

#include "heddle/adapters/petsc.hpp"
#include "problem.hpp"

/// A solver that is set up; a call solves from phi = 0 until the residual has fallen by 1e-8.
using Solver = std::function<Solved()>;

/// PETSc's conjugate gradients, with emitted kernels as operator and preconditioner. All ranks of the
/// communicator make it, call it and let it go, before MPI ends.
Solver solver_with_kernels(MPI_Comm communicator, PetscInt n);
/// The same with PETSc's own matrix and multigrid.
Solver solver_with_petsc(MPI_Comm communicator, PetscInt n);

/// Calls f(x, y, z, value) for the cells of this rank, by their places in the whole grid.
template <class F> void for_cells(DM grid, Vec vector, const F& f) {
  std::array<PetscInt, 3> start{};
  heddle::adapters::petsc_check(
      DMDAGetCorners(grid, &start[0], &start[1], &start[2], nullptr, nullptr, nullptr), "DMDAGetCorners");
  const heddle::adapters::PetscArray<PetscScalar> array(grid, vector);
  for (PetscInt k = 0; k < array.extent(2); ++k)
    for (PetscInt j = 0; j < array.extent(1); ++j)
      for (PetscInt i = 0; i < array.extent(0); ++i)
        f(start[0] + i, start[1] + j, start[2] + k,
          array.data()[i * array.stride(0) + j * array.stride(1) + k * array.stride(2)]);
}

#endif
