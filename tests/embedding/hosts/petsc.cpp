// SPDX-License-Identifier: Apache-2.0
// Kernels on vectors of PETSc's DMDA, one rank: local ones with ghost cells, global ones, several components.
// Solvers and ranks: tests/examples/petsc_poisson.
#include <petscdmda.h>

#include <cstdint>

#include "check.hpp"
#include "heddle/adapters/petsc_solvers.hpp"

namespace {

using heddle::adapters::petsc_check;
using heddle::adapters::PetscArray;
using hosts::Cells;
using hosts::Options;

DM make_grid(const Cells& n, PetscInt ghosts, PetscInt components) {
  DM grid = nullptr;
  const auto cells = [&](std::size_t d) { return static_cast<PetscInt>(n[d]); };
  petsc_check(DMDACreate3d(PETSC_COMM_SELF, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED,
                           DMDA_STENCIL_BOX, cells(0), cells(1), cells(2), 1, 1, 1, components, ghosts,
                           nullptr, nullptr, nullptr, &grid),
              "DMDACreate3d");
  petsc_check(DMSetUp(grid), "DMSetUp");
  return grid;
}

class LocalVector {
public:
  LocalVector(const Cells& n, std::int64_t ghosts, std::int64_t components)
      : grid_(make_grid(n, static_cast<PetscInt>(ghosts), static_cast<PetscInt>(components))) {
    petsc_check(DMCreateLocalVector(grid_, &vector_), "DMCreateLocalVector");
    petsc_check(DMDAVecGetArrayDOF(grid_, vector_, static_cast<void*>(&array_)), "DMDAVecGetArrayDOF");
  }
  ~LocalVector() {
    petsc_check(DMDAVecRestoreArrayDOF(grid_, vector_, static_cast<void*>(&array_)),
                "DMDAVecRestoreArrayDOF");
    petsc_check(VecDestroy(&vector_), "VecDestroy");
    petsc_check(DMDestroy(&grid_), "DMDestroy");
  }
  LocalVector(const LocalVector&) = delete;
  LocalVector& operator=(const LocalVector&) = delete;
  double& at(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c) const {
    return array_[z][y][x][c]; // as in any program of PETSc
  }
  auto view(const Options& options) const { return PetscArray<PetscScalar>(grid_, vector_, options); }

private:
  DM grid_;
  Vec vector_ = nullptr;
  PetscScalar**** array_ = nullptr;
};

void refuses() {
  DM grid = make_grid({8, 8, 8}, 1, 1);
  DM other = make_grid({8, 8, 7}, 1, 1);
  Vec global = nullptr;
  Vec local = nullptr;
  petsc_check(DMCreateGlobalVector(grid, &global), "DMCreateGlobalVector");
  petsc_check(DMCreateLocalVector(grid, &local), "DMCreateLocalVector");
  hosts::expect_refusal("the kernel reaches 1 cells beyond the interior along x, and the array has 0 ghost",
                        [&] { PetscArray<>(grid, global, {.reach = 1}); });
  hosts::expect_refusal("the vector has 1000 elements on this rank, unlike those of the DMDA",
                        [&] { PetscArray<>(other, local); });
  hosts::expect_refusal("the vector is in memory of the host, and the kernel runs on a device",
                        [&] { PetscArray<PetscScalar, heddle::adapters::Memory::device>(grid, local); });
  {
    const PetscArray<const PetscScalar> u(grid, local, {.reach = 1});
    const PetscArray<> v(grid, global);
    embedding::diffuse(u, v, 0.1);
  }
  // A vector may be read twice at once, and is free again after a refusal.
  petsc_check(VecSet(global, 1), "VecSet");
  for (Vec* vector : {&global, &local})
    petsc_check(VecDestroy(vector), "VecDestroy");
  for (DM* one : {&grid, &other})
    petsc_check(DMDestroy(one), "DMDestroy");
  // An exception in a callback is an error of PETSc that carries its text.
  petsc_check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr), "PetscPushErrorHandler");
  const PetscErrorCode code = heddle::adapters::petsc_guarded(
      PETSC_COMM_SELF, [] { throw heddle::adapters::Refused("here", "this", "that"); });
  petsc_check(PetscPopErrorHandler(), "PetscPopErrorHandler");
  hosts::expect(code == PETSC_ERR_LIB, "an exception ends the callback with an error code");
}

} // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
  hosts::check<LocalVector>("PETSc DMDA");
  refuses();
  return PetscFinalize() != 0 ? 1 : hosts::result();
}
