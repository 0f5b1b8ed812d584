// SPDX-License-Identifier: Apache-2.0
// Poisson's equation in a unit cube by PETSc's conjugate gradients: with emitted kernels as operator and
// preconditioner, and with PETSc's own matrix and multigrid.
//   petsc_poisson [-n 64] [-runs 3] [PETSc's options]
#include <petscksp.h>

#include <cstdio>
#include <exception>

#include "alone.hpp"
#include "solve.hpp"

namespace {

using heddle::adapters::petsc_check;

void print(const char* what, const Solved& solved) {
  petsc_check(PetscPrintf(PETSC_COMM_WORLD, "%-34s %3d iterations  %7.4f s  error %.0e\n", what,
                          static_cast<int>(solved.iterations), solved.seconds, solved.error),
              "PetscPrintf");
}

void run() {
  PetscInt n = 64;
  PetscInt runs = 3;
  int ranks = 1;
  petsc_check(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr), "PetscOptionsGetInt");
  petsc_check(PetscOptionsGetInt(nullptr, nullptr, "-runs", &runs, nullptr), "PetscOptionsGetInt");
  petsc_check(MPI_Comm_size(PETSC_COMM_WORLD, &ranks), "MPI_Comm_size");
  print("PETSc's CG, kernels of Heddle:", solve_with_kernels(PETSC_COMM_WORLD, n, runs));
  print("PETSc's CG, PETSc's multigrid:", solve_with_petsc(PETSC_COMM_WORLD, n, runs));
  if (ranks == 1) print("Heddle's CG, without PETSc:", solve_alone(n, runs));
}

} // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "petsc_poisson: %s\n", error.what());
    MPI_Abort(PETSC_COMM_WORLD, 1);
  }
  return PetscFinalize() != 0 ? 1 : 0;
}
