// SPDX-License-Identifier: Apache-2.0
#include "solve.hpp"

#include <petscdmda.h>

#include <algorithm>
#include <cmath>

#include "heddle/adapters/petsc_solvers.hpp"
#include "multigrid.hpp"
#include "petsc_multigrid.hpp"

using heddle::adapters::petsc_check;

namespace {

Solved solve(KSP solver, DM grid, PetscInt n, int runs) {
  const MPI_Comm communicator = PetscObjectComm(reinterpret_cast<PetscObject>(grid));
  Vec right = nullptr;
  Vec solution = nullptr;
  petsc_check(DMCreateGlobalVector(grid, &right), "DMCreateGlobalVector");
  petsc_check(DMCreateGlobalVector(grid, &solution), "DMCreateGlobalVector");
  const Problem problem(n);
  for_cells(grid, right, [&](auto x, auto y, auto z, double& b) { b = problem.right(x, y, z); });
  petsc_check(KSPSetType(solver, KSPCG), "KSPSetType");
  petsc_check(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED), "KSPSetNormType");
  petsc_check(KSPSetTolerances(solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 100), "KSPSetTolerances");
  petsc_check(KSPSetFromOptions(solver), "KSPSetFromOptions");
  petsc_check(KSPSetUp(solver), "KSPSetUp");
  Solved solved;
  for (int run = 0; run < runs; ++run) {
    petsc_check(VecSet(solution, 0), "VecSet");
    petsc_check(MPI_Barrier(communicator), "MPI_Barrier");
    const double begin = MPI_Wtime();
    petsc_check(KSPSolve(solver, right, solution), "KSPSolve");
    const double took = MPI_Wtime() - begin;
    solved.seconds = run == 0 ? took : std::min(solved.seconds, took);
  }
  PetscInt iterations = 0;
  petsc_check(KSPGetIterationNumber(solver, &iterations), "KSPGetIterationNumber");
  solved.iterations = iterations;
  double error = 0;
  for_cells(grid, solution, [&](auto x, auto y, auto z, double phi) {
    error = std::max(error, std::abs(phi - problem.solution(x, y, z)));
  });
  petsc_check(MPI_Allreduce(&error, &solved.error, 1, MPI_DOUBLE, MPI_MAX, communicator), "MPI_Allreduce");
  petsc_check(VecDestroy(&right), "VecDestroy");
  petsc_check(VecDestroy(&solution), "VecDestroy");
  return solved;
}

} // namespace

Solved solve_with_kernels(MPI_Comm communicator, PetscInt n, int runs) {
  Multigrid multigrid(communicator, n);
  PoissonOperator poisson(multigrid.finest());
  DM grid = multigrid.finest().grid;
  Mat matrix = heddle::adapters::petsc_operator(grid, poisson);
  KSP solver = nullptr;
  PC pc = nullptr;
  petsc_check(KSPCreate(communicator, &solver), "KSPCreate");
  petsc_check(KSPSetOperators(solver, matrix, matrix), "KSPSetOperators");
  petsc_check(KSPGetPC(solver, &pc), "KSPGetPC");
  heddle::adapters::petsc_preconditioner(pc, multigrid);
  const Solved solved = solve(solver, grid, n, runs);
  petsc_check(KSPDestroy(&solver), "KSPDestroy");
  petsc_check(MatDestroy(&matrix), "MatDestroy");
  return solved;
}

Solved solve_with_petsc(MPI_Comm communicator, PetscInt n, int runs) {
  KSP solver = petsc_multigrid(communicator, n);
  DM grid = nullptr;
  petsc_check(KSPGetDM(solver, &grid), "KSPGetDM");
  const Solved solved = solve(solver, grid, n, runs);
  petsc_check(KSPDestroy(&solver), "KSPDestroy");
  return solved;
}
