// SPDX-License-Identifier: Apache-2.0
#include "solve.hpp"

#include <petscdmda.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "heddle/adapters/petsc_solvers.hpp"
#include "multigrid.hpp"
#include "petsc_multigrid.hpp"

using heddle::adapters::petsc_check;

namespace {

/// A right side, a solution and PETSc's conjugate gradients, until they go.
class Gradients {
public:
  /// Takes `solver` over, whose preconditioner is set.
  Gradients(KSP solver, DM grid, PetscInt n) : solver_(solver), grid_(grid), problem_(n) {
    petsc_check(DMCreateGlobalVector(grid, &right_), "DMCreateGlobalVector");
    petsc_check(DMCreateGlobalVector(grid, &solution_), "DMCreateGlobalVector");
    for_cells(grid, right_, [&](auto x, auto y, auto z, double& b) { b = problem_.right(x, y, z); });
    petsc_check(KSPSetType(solver, KSPCG), "KSPSetType");
    petsc_check(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED), "KSPSetNormType");
    petsc_check(KSPSetTolerances(solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 100), "KSPSetTolerances");
    petsc_check(KSPSetFromOptions(solver), "KSPSetFromOptions");
    petsc_check(KSPSetUp(solver), "KSPSetUp");
  }
  Gradients(const Gradients&) = delete;
  Gradients& operator=(const Gradients&) = delete;
  ~Gradients() {
    VecDestroy(&right_);
    VecDestroy(&solution_);
    KSPDestroy(&solver_);
  }

  Solved operator()() {
    const MPI_Comm communicator = PetscObjectComm(reinterpret_cast<PetscObject>(grid_));
    Solved solved;
    petsc_check(VecSet(solution_, 0), "VecSet");
    petsc_check(MPI_Barrier(communicator), "MPI_Barrier");
    const double begin = MPI_Wtime();
    petsc_check(KSPSolve(solver_, right_, solution_), "KSPSolve");
    solved.seconds = MPI_Wtime() - begin;
    PetscInt iterations = 0;
    petsc_check(KSPGetIterationNumber(solver_, &iterations), "KSPGetIterationNumber");
    solved.iterations = iterations;
    double error = 0;
    for_cells(grid_, solution_, [&](auto x, auto y, auto z, double phi) {
      error = std::max(error, std::abs(phi - problem_.solution(x, y, z)));
    });
    petsc_check(MPI_Allreduce(&error, &solved.error, 1, MPI_DOUBLE, MPI_MAX, communicator), "MPI_Allreduce");
    return solved;
  }

private:
  KSP solver_;
  DM grid_;
  Problem problem_;
  Vec right_ = nullptr;
  Vec solution_ = nullptr;
};

/// All that a solve with kernels needs.
class Kernels {
public:
  Kernels(MPI_Comm communicator, PetscInt n)
      : multigrid_(communicator, n), poisson_(multigrid_.finest()),
        matrix_(heddle::adapters::petsc_operator(multigrid_.finest().grid, poisson_)) {
    KSP solver = nullptr;
    PC pc = nullptr;
    petsc_check(KSPCreate(communicator, &solver), "KSPCreate");
    petsc_check(KSPSetOperators(solver, matrix_, matrix_), "KSPSetOperators");
    petsc_check(KSPGetPC(solver, &pc), "KSPGetPC");
    heddle::adapters::petsc_preconditioner(pc, multigrid_);
    gradients_ = std::make_unique<Gradients>(solver, multigrid_.finest().grid, n);
  }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;
  ~Kernels() {
    gradients_.reset();
    MatDestroy(&matrix_);
  }

  Solved operator()() { return (*gradients_)(); }

private:
  Multigrid multigrid_;
  PoissonOperator poisson_;
  Mat matrix_;
  std::unique_ptr<Gradients> gradients_;
};

} // namespace

Solver solver_with_kernels(MPI_Comm communicator, PetscInt n) {
  return [kernels = std::make_shared<Kernels>(communicator, n)] { return (*kernels)(); };
}

Solver solver_with_petsc(MPI_Comm communicator, PetscInt n) {
  KSP solver = petsc_multigrid(communicator, n);
  DM grid = nullptr;
  petsc_check(KSPGetDM(solver, &grid), "KSPGetDM");
  return [gradients = std::make_shared<Gradients>(solver, grid, n)] { return (*gradients)(); };
}
