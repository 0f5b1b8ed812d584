// SPDX-License-Identifier: MIT-0
// Kernels as operators (MATSHELL) and preconditioners (PCSHELL) of PETSc's solvers. PETSc 3.18 and later.
#ifndef HEDDLE_ADAPTERS_PETSC_SOLVERS_HPP
#define HEDDLE_ADAPTERS_PETSC_SOLVERS_HPP

#include <petscksp.h>

#include <exception>

#include "heddle/adapters/petsc.hpp"

namespace heddle::adapters {

/// Runs f() in a callback of PETSc: an exception becomes PETSc's error, with its text.
template <typename F> PetscErrorCode petsc_guarded(MPI_Comm communicator, const F& f) {
  try {
    f();
    return 0;
  } catch (const std::exception& error) {
    return PetscError(communicator, __LINE__, "petsc_guarded", __FILE__, PETSC_ERR_LIB, PETSC_ERROR_INITIAL,
                      "%s", error.what());
  }
}

/// A matrix of which PETSc knows only how to multiply it: apply(x, y) writes y = A x for global vectors of
/// `grid`. It outlives the matrix; the caller destroys that.
template <typename Apply> Mat petsc_operator(DM grid, Apply& apply) {
  Vec vector = nullptr;
  PetscInt local = 0;
  Mat matrix = nullptr;
  const MPI_Comm communicator = PetscObjectComm(reinterpret_cast<PetscObject>(grid));
  petsc_check(DMGetGlobalVector(grid, &vector), "DMGetGlobalVector");
  petsc_check(VecGetLocalSize(vector, &local), "VecGetLocalSize");
  petsc_check(DMRestoreGlobalVector(grid, &vector), "DMRestoreGlobalVector");
  petsc_check(MatCreateShell(communicator, local, local, PETSC_DETERMINE, PETSC_DETERMINE, &apply, &matrix),
              "MatCreateShell");
  PetscErrorCode (*const multiply)(Mat, Vec, Vec) = [](Mat shell, Vec x, Vec y) {
    return petsc_guarded(PetscObjectComm(reinterpret_cast<PetscObject>(shell)), [&] {
      void* context = nullptr;
      petsc_check(MatShellGetContext(shell, static_cast<void*>(&context)), "MatShellGetContext");
      (*static_cast<Apply*>(context))(x, y);
    });
  };
  petsc_check(MatShellSetOperation(matrix, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)),
              "MatShellSetOperation");
  return matrix;
}

/// Makes `pc` call apply(r, z), which writes z = M r for global vectors. It outlives the solves.
template <typename Apply> void petsc_preconditioner(PC pc, Apply& apply) {
  petsc_check(PCSetType(pc, PCSHELL), "PCSetType");
  petsc_check(PCShellSetContext(pc, &apply), "PCShellSetContext");
  PetscErrorCode (*const precondition)(PC, Vec, Vec) = [](PC shell, Vec r, Vec z) {
    return petsc_guarded(PetscObjectComm(reinterpret_cast<PetscObject>(shell)), [&] {
      void* context = nullptr;
      petsc_check(PCShellGetContext(shell, static_cast<void*>(&context)), "PCShellGetContext");
      (*static_cast<Apply*>(context))(r, z);
    });
  };
  petsc_check(PCShellSetApply(pc, precondition), "PCShellSetApply");
}

} // namespace heddle::adapters

#endif
