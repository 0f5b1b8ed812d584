// SPDX-License-Identifier: Apache-2.0
#ifndef PETSC_POISSON_PETSC_MULTIGRID_HPP
#define PETSC_POISSON_PETSC_MULTIGRID_HPP

#include <petscksp.h>

/// The same equation with PETSc alone: an assembled matrix, PCMG on grids down to 4 cells along each axis,
/// with PETSc's own choice of smoother and coarsest solver. Transfers are piecewise constant (DMDA_Q0), as
/// ours are.
KSP petsc_multigrid(MPI_Comm communicator, PetscInt n);

#endif
