// SPDX-License-Identifier: MIT-0
// Vectors of a DMDA of PETSc for kernels, and kernels as operators (MATSHELL) and preconditioners (PCSHELL)
// of its solvers. PETSc 3.18 and later. Ghost cells are filled by PETSc: DMGlobalToLocal(), DMLocalToLocal().
#ifndef HEDDLE_ADAPTERS_PETSC_HPP
#define HEDDLE_ADAPTERS_PETSC_HPP

#include <petscdmda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "heddle/adapters/view.hpp"

namespace heddle::adapters {

/// Throws std::runtime_error for an error code of PETSc, which has said on stderr what is wrong.
inline void petsc_check(PetscErrorCode code, const char* call) {
  if (code != 0) throw std::runtime_error(std::string(call) + ": PETSc's error " + std::to_string(code));
}

/// The cells of this rank in a vector of a DMDA, while this lives; kernels take it as it is. Element:
/// PetscScalar, or const PetscScalar for fields that are only read. The vector is a local one, with ghost
/// cells, or a global one, without. memory: which entry will be called. Of options only reach and unit_stride
/// count. Throws Refused for memory of the other kind, too few ghost cells, or a vector of another DMDA.
template <typename Element = PetscScalar, Memory memory = Memory::host>
class PetscArray : public View<Element> {
public:
  PetscArray(DM grid, Vec vector, const Options& options = {})
      : View<Element>(nullptr, {}, {}), vector_(vector) {
    PetscInt dimensions = 0;
    PetscInt components = 0;
    petsc_check(DMDAGetInfo(grid, &dimensions, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                            &components, nullptr, nullptr, nullptr, nullptr, nullptr),
                "DMDAGetInfo");
    std::array<PetscInt, 3> start{};
    std::array<PetscInt, 3> cells{};
    std::array<PetscInt, 3> all_start{};
    std::array<PetscInt, 3> all{};
    petsc_check(DMDAGetCorners(grid, &start[0], &start[1], &start[2], &cells[0], &cells[1], &cells[2]),
                "DMDAGetCorners");
    petsc_check(
        DMDAGetGhostCorners(grid, &all_start[0], &all_start[1], &all_start[2], &all[0], &all[1], &all[2]),
        "DMDAGetGhostCorners");
    PetscInt length = 0;
    petsc_check(VecGetLocalSize(vector, &length), "VecGetLocalSize");
    if (length != all[0] * all[1] * all[2] * components) { // a global vector
      all_start = start;
      all = cells;
    }
    if (length != all[0] * all[1] * all[2] * components) {
      throw Refused("PetscArray",
                    "the vector has " + std::to_string(length) +
                        " elements on this rank, unlike those of the DMDA",
                    "take a vector from DMCreateGlobalVector() or DMCreateLocalVector() of this DMDA");
    }
    const auto space = static_cast<std::size_t>(dimensions);
    std::array<std::int64_t, 4> extent{1, 1, 1, 1};
    std::array<std::int64_t, 4> stride{1, 1, 1, 1};
    std::int64_t first = 0;
    std::int64_t step = components;
    for (std::size_t d = 0; d < space; ++d) {
      const std::int64_t below = start[d] - all_start[d];
      require_ghosts("PetscArray", d, below, all[d] - cells[d] - below, options.reach.axis[d]);
      extent[d] = cells[d];
      stride[d] = step;
      first += below * step;
      step *= all[d];
    }
    extent[space] = components; // the fastest in memory
    require_unit_stride("PetscArray", stride[0], options.unit_stride);
    PetscMemType place = PETSC_MEMTYPE_HOST;
    if constexpr (std::is_const_v<Element>)
      petsc_check(VecGetArrayReadAndMemType(vector, &array_, &place), "VecGetArrayReadAndMemType");
    else
      petsc_check(VecGetArrayAndMemType(vector, &array_, &place), "VecGetArrayAndMemType");
    if (PetscMemTypeHost(place) != (memory == Memory::host)) {
      restore();
      throw Refused("PetscArray",
                    PetscMemTypeHost(place)
                        ? "the vector is in memory of the host, and the kernel runs on a device"
                        : "the vector is in memory of a device, and the kernel runs on the CPU",
                    "call the entry of the other kind, or set the vector's type, -dm_vec_type");
    }
    View<Element>::operator=({array_ + first, extent, stride});
  }
  ~PetscArray() { restore(); }
  PetscArray(const PetscArray&) = delete;
  PetscArray& operator=(const PetscArray&) = delete;

private:
  void restore() noexcept {
    if constexpr (std::is_const_v<Element>)
      static_cast<void>(VecRestoreArrayReadAndMemType(vector_, &array_));
    else
      static_cast<void>(VecRestoreArrayAndMemType(vector_, &array_));
  }

  Vec vector_;
  Element* array_ = nullptr;
};

} // namespace heddle::adapters

#endif
