// SPDX-License-Identifier: Apache-2.0
#include "petsc_multigrid.hpp"

#include <petscdmda.h>

#include <array>
#include <cstddef>

#include "heddle/adapters/petsc_solvers.hpp"

namespace {

using heddle::adapters::petsc_check;

/// sum over the faces of k (own value - neighbour), k the size of a cell, twice that at walls.
PetscErrorCode assemble(KSP solver, Mat, Mat matrix, void*) {
  return heddle::adapters::petsc_guarded(PETSC_COMM_WORLD, [&] {
    DM grid = nullptr;
    petsc_check(KSPGetDM(solver, &grid), "KSPGetDM");
    DMDALocalInfo info;
    petsc_check(DMDAGetLocalInfo(grid, &info), "DMDAGetLocalInfo");
    const double h = 1.0 / static_cast<double>(info.mx);
    for (PetscInt z = info.zs; z < info.zs + info.zm; ++z)
      for (PetscInt y = info.ys; y < info.ys + info.ym; ++y)
        for (PetscInt x = info.xs; x < info.xs + info.xm; ++x) {
          const std::array<PetscInt, 3> here{x, y, z};
          MatStencil row{z, y, x, 0};
          std::array<MatStencil, 7> columns{};
          std::array<PetscScalar, 7> values{};
          PetscInt count = 1;
          columns[0] = row;
          for (std::size_t axis = 0; axis < 3; ++axis)
            for (const PetscInt side : {-1, 1}) {
              std::array<PetscInt, 3> other = here;
              other[axis] += side;
              const bool wall = other[axis] < 0 || other[axis] >= info.mx;
              values[0] += wall ? 2 * h : h;
              if (wall) continue;
              columns[static_cast<std::size_t>(count)] = {other[2], other[1], other[0], 0};
              values[static_cast<std::size_t>(count++)] = -h;
            }
          petsc_check(
              MatSetValuesStencil(matrix, 1, &row, count, columns.data(), values.data(), INSERT_VALUES),
              "MatSetValuesStencil");
        }
    petsc_check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
    petsc_check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
  });
}

} // namespace

KSP petsc_multigrid(MPI_Comm communicator, PetscInt n) {
  DM grid = nullptr;
  petsc_check(DMDACreate3d(communicator, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                           DMDA_STENCIL_STAR, n, n, n, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1,
                           nullptr, nullptr, nullptr, &grid),
              "DMDACreate3d");
  petsc_check(DMSetUp(grid), "DMSetUp");
  petsc_check(DMDASetInterpolationType(grid, DMDA_Q0), "DMDASetInterpolationType");
  KSP solver = nullptr;
  PC pc = nullptr;
  petsc_check(KSPCreate(communicator, &solver), "KSPCreate");
  petsc_check(KSPSetDM(solver, grid), "KSPSetDM");
  petsc_check(KSPSetComputeOperators(solver, assemble, nullptr), "KSPSetComputeOperators");
  petsc_check(KSPGetPC(solver, &pc), "KSPGetPC");
  PetscInt levels = 1;
  for (PetscInt cells = n; cells > 4; cells /= 2)
    ++levels;
  petsc_check(PCSetType(pc, PCMG), "PCSetType");
  petsc_check(PCMGSetLevels(pc, levels, nullptr), "PCMGSetLevels");
  petsc_check(DMDestroy(&grid), "DMDestroy"); // the solver holds it
  return solver;
}
