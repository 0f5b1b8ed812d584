// SPDX-License-Identifier: Apache-2.0
// Vectors of PETSc in memory of a device, and the launcher of the CUDA kernel. Debian's PETSc has no vectors
// of CUDA, so the calls that give out their memory are doubles, as PETSc 3.18 documents them for VECCUDA:
// they bring a vector to the device and say PETSC_MEMTYPE_CUDA. All else of PETSc is real; the device is
// emulated.
#include <petscdmda.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"

namespace device_double {

std::map<const void*, std::vector<double>> lent; // a vector's values on the device, while somebody has them

PetscErrorCode get_read(Vec vector, const PetscScalar** array, PetscMemType* place) {
  const PetscScalar* values = nullptr;
  PetscInt length = 0;
  if (VecGetLocalSize(vector, &length) != 0 || VecGetArrayRead(vector, &values) != 0) return PETSC_ERR_LIB;
  lent[vector].assign(values, values + length);
  *array = lent[vector].data();
  *place = PETSC_MEMTYPE_CUDA;
  return VecRestoreArrayRead(vector, &values);
}

PetscErrorCode get(Vec vector, PetscScalar** array, PetscMemType* place) {
  const PetscScalar* values = nullptr;
  const PetscErrorCode code = get_read(vector, &values, place);
  *array = lent[vector].data();
  return code;
}

PetscErrorCode restore_read(Vec vector, const PetscScalar** array) {
  if (*array != lent[vector].data()) return PETSC_ERR_ARG_WRONG;
  lent.erase(vector);
  *array = nullptr;
  return 0;
}

PetscErrorCode restore(Vec vector, PetscScalar** array) {
  PetscScalar* values = nullptr;
  if (VecGetArray(vector, &values) != 0) return PETSC_ERR_LIB;
  std::copy(lent[vector].begin(), lent[vector].end(), values);
  if (VecRestoreArray(vector, &values) != 0) return PETSC_ERR_LIB;
  const PetscScalar* read = *array;
  *array = nullptr;
  return restore_read(vector, &read);
}

} // namespace device_double

#define VecGetArrayAndMemType device_double::get
#define VecGetArrayReadAndMemType device_double::get_read
#define VecRestoreArrayAndMemType device_double::restore
#define VecRestoreArrayReadAndMemType device_double::restore_read
#include "heddle/adapters/petsc.hpp"
#include "vectors.hpp"

namespace {

using heddle::adapters::Memory;
using heddle::adapters::petsc_check;
using heddle::adapters::PetscArray;
using OnDevice = PetscArray<PetscScalar, Memory::device>;
using ReadOnDevice = PetscArray<const PetscScalar, Memory::device>;

constexpr std::array<std::int64_t, 3> cells{9, 6, 5};

void a_kernel_of_a_device(DM grid) {
  Vec u = nullptr, ghosted = nullptr, result = nullptr;
  petsc_check(DMCreateGlobalVector(grid, &u), "DMCreateGlobalVector");
  petsc_check(DMCreateLocalVector(grid, &ghosted), "DMCreateLocalVector");
  petsc_check(VecDuplicate(u, &result), "VecDuplicate");
  PetscScalar* values = nullptr;
  petsc_check(VecGetArray(u, &values), "VecGetArray");
  for (int i = 0; i < cells[0] * cells[1] * cells[2]; ++i)
    values[i] = std::sin(0.7 * i);
  petsc_check(VecRestoreArray(u, &values), "VecRestoreArray");
  petsc_check(DMGlobalToLocal(grid, u, INSERT_VALUES, ghosted), "DMGlobalToLocal");
  {
    const ReadOnDevice from(grid, ghosted, {.reach = 1});
    const OnDevice to(grid, result);
    const std::int64_t first = 1 + from.stride(1) + from.stride(2);
    hosts::expect(from.data() == device_double::lent[ghosted].data() + first &&
                      to.data() == device_double::lent[result].data(),
                  "the kernel gets the addresses of the device");
    vectors::diffuse_cuda(from, to, 0.1, nullptr); // the emulation does not return before it is done
  }
  hosts::expect(device_double::lent.empty(), "each vector is given back");

  // The C entry of the CPU, on the memory of the host.
  const PetscScalar* around = nullptr;
  const PetscScalar* found = nullptr;
  petsc_check(VecGetArrayRead(ghosted, &around), "VecGetArrayRead");
  petsc_check(VecGetArrayRead(result, &found), "VecGetArrayRead");
  hosts::Plain expected(cells, 0, 1);
  const std::array<std::int64_t, 3> stride{1, cells[0] + 2, (cells[0] + 2) * (cells[1] + 2)};
  const int status = vectors_diffuse_f64(around + 1 + stride[1] + stride[2], cells.data(), stride.data(),
                                         expected.data, expected.extent.data(), expected.stride.data(), 0.1);
  hosts::expect(status == 0, "the C entry takes PETSc's array");
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < expected.memory.size(); ++i)
    wrong += !hosts::same_bits(found[i], expected.memory[i]);
  hosts::expect(wrong == 0, std::to_string(wrong) + " values differ from the C entry's");
  petsc_check(VecRestoreArrayRead(ghosted, &around), "VecRestoreArrayRead");
  petsc_check(VecRestoreArrayRead(result, &found), "VecRestoreArrayRead");

  hosts::expect_refusal("the vector is in memory of a device, and the kernel runs on the CPU",
                        [&] { PetscArray<>(grid, result); });
  hosts::expect_refusal("the vector is in memory of a device, and the kernel runs on the CPU",
                        [&] { PetscArray<const PetscScalar>(grid, ghosted); });
  hosts::expect(device_double::lent.empty(), "a vector is given back after a refusal, too");
  for (Vec* vector : {&u, &ghosted, &result})
    petsc_check(VecDestroy(vector), "VecDestroy");
}

} // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
  DM grid = nullptr;
  petsc_check(DMDACreate3d(PETSC_COMM_SELF, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC,
                           DMDA_STENCIL_BOX, cells[0], cells[1], cells[2], 1, 1, 1, 1, 1, nullptr, nullptr,
                           nullptr, &grid),
              "DMDACreate3d");
  petsc_check(DMSetUp(grid), "DMSetUp");
  a_kernel_of_a_device(grid);
  petsc_check(DMDestroy(&grid), "DMDestroy");
  return PetscFinalize() != 0 ? 1 : hosts::result();
}
