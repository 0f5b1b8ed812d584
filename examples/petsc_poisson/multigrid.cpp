// SPDX-License-Identifier: Apache-2.0
#include "multigrid.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "petsc_poisson.hpp"

namespace {

using heddle::adapters::petsc_check;
using heddle::adapters::PetscArray;
using heddle::adapters::View;
using Array = PetscArray<PetscScalar>;
using ConstArray = PetscArray<const PetscScalar>;
using Extents = std::array<std::int64_t, 4>;

enum Colour { red, black };

/// Sweeps before and after the coarser levels: as heddle::MultigridOptions has them.
int sweeps_of(std::size_t level, std::size_t levels) {
  return level == 0 ? 2 : level + 1 == levels ? 4 : 3;
}

/// The coefficients of a level while kernels read them.
struct Faces {
  explicit Faces(const Level& level)
      : x(level.grid, level.k[0], {.reach = 1}), y(level.grid, level.k[1], {.reach = 1}),
        z(level.grid, level.k[2], {.reach = 1}) {}
  ConstArray x, y, z;
};

/// Every second cell of a fine array along each axis, from `child` on: one child of each coarse cell.
template <class Fine, class T = std::remove_pointer_t<decltype(std::declval<Fine>().data())>>
View<T> children(const Fine& fine, const Extents& coarse, const std::array<std::int64_t, 3>& child) {
  T* first = fine.data();
  Extents stride{1, 1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) {
    first += child[d] * fine.stride(d);
    stride[d] = 2 * fine.stride(d);
  }
  return {first, coarse, stride};
}
constexpr std::array<std::array<std::int64_t, 3>, 4> red_children{
    {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}}};

Extents extents_of(const Level& level) {
  return {level.cells[0], level.cells[1], level.cells[2], 1};
}

/// A grid with one ghost layer, also beyond the walls. `finer`: twice as many cells on each rank.
DM make_grid(MPI_Comm communicator, PetscInt n, DM finer) {
  std::array<PetscInt, 3> ranks{PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE};
  std::array<std::vector<PetscInt>, 3> cells;
  if (finer != nullptr) {
    std::array<const PetscInt*, 3> fine{};
    petsc_check(DMDAGetInfo(finer, nullptr, nullptr, nullptr, nullptr, &ranks[0], &ranks[1], &ranks[2],
                            nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
                "DMDAGetInfo");
    petsc_check(DMDAGetOwnershipRanges(finer, &fine[0], &fine[1], &fine[2]), "DMDAGetOwnershipRanges");
    for (std::size_t d = 0; d < 3; ++d)
      for (PetscInt rank = 0; rank < ranks[d]; ++rank)
        cells[d].push_back(fine[d][rank] / 2);
  }
  const auto given = [&](std::size_t d) { return finer != nullptr ? cells[d].data() : nullptr; };
  DM grid = nullptr;
  petsc_check(DMDACreate3d(communicator, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED,
                           DMDA_STENCIL_STAR, n, n, n, ranks[0], ranks[1], ranks[2], 1, 1, given(0), given(1),
                           given(2), &grid),
              "DMDACreate3d");
  petsc_check(DMSetUp(grid), "DMSetUp");
  return grid;
}

/// Coefficients of a unit cube: the size of a cell inside, twice that at walls, which are half as far away.
void set_coefficients(const Level& level, PetscInt n) {
  const double h = 1.0 / static_cast<double>(n);
  std::array<PetscInt, 3> start{};
  petsc_check(DMDAGetCorners(level.grid, &start[0], &start[1], &start[2], nullptr, nullptr, nullptr),
              "DMDAGetCorners");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Array k(level.grid, level.k[axis], {.reach = 1});
    std::array<PetscInt, 3> i{};
    std::array<PetscInt, 3> end = level.cells;
    ++end[axis]; // the upper face of the last cell
    for (i[2] = 0; i[2] < end[2]; ++i[2])
      for (i[1] = 0; i[1] < end[1]; ++i[1])
        for (i[0] = 0; i[0] < end[0]; ++i[0]) {
          const PetscInt face = start[axis] + i[axis];
          k.data()[i[0] * k.stride(0) + i[1] * k.stride(1) + i[2] * k.stride(2)] =
              face == 0 || face == n ? 2 * h : h;
        }
  }
}

} // namespace

Level::Level(DM grid_) : grid(grid_) {
  std::array<PetscInt, 3> start{};
  petsc_check(DMDAGetCorners(grid, &start[0], &start[1], &start[2], &cells[0], &cells[1], &cells[2]),
              "DMDAGetCorners");
  for (std::size_t d = 0; d < 3; ++d) {
    if (start[d] % 2 != 0 || cells[d] % 2 != 0) {
      throw std::invalid_argument("a rank has cells " + std::to_string(start[d]) + " to " +
                                  std::to_string(start[d] + cells[d] - 1) +
                                  " of a level: both ends must be even. Use fewer ranks, or a power of 2");
    }
  }
  for (Vec* vector : {&k[0], &k[1], &k[2], &correction})
    petsc_check(DMCreateLocalVector(grid, vector), "DMCreateLocalVector");
  for (Vec* vector : {&rest, &left})
    petsc_check(DMCreateGlobalVector(grid, vector), "DMCreateGlobalVector");
}

Level::~Level() {
  for (Vec* vector : {&k[0], &k[1], &k[2], &correction, &rest, &left})
    static_cast<void>(VecDestroy(vector));
  static_cast<void>(DMDestroy(&grid));
}

PoissonOperator::PoissonOperator(const Level& level) : level_(&level) {
  petsc_check(DMCreateLocalVector(level.grid, &ghosted_), "DMCreateLocalVector");
}
PoissonOperator::~PoissonOperator() {
  static_cast<void>(VecDestroy(&ghosted_));
}
void PoissonOperator::operator()(Vec x, Vec y) {
  petsc_check(DMGlobalToLocal(level_->grid, x, INSERT_VALUES, ghosted_), "DMGlobalToLocal");
  const Faces k(*level_);
  const ConstArray u(level_->grid, ghosted_, {.reach = 1});
  const Array a_u(level_->grid, y);
  petsc_poisson::multiply(k.x, k.y, k.z, u, a_u);
}

Multigrid::Multigrid(MPI_Comm communicator, PetscInt n) {
  if (n < 8 || (n & (n - 1)) != 0)
    throw std::invalid_argument(std::to_string(n) + " cells along an axis; use a power of 2, at least 8");
  levels_.push_back(std::make_unique<Level>(make_grid(communicator, n, nullptr)));
  set_coefficients(finest(), n);
  while (n > 4) {
    n /= 2;
    const Level& fine = *levels_.back();
    levels_.push_back(std::make_unique<Level>(make_grid(communicator, n, fine.grid)));
    merge(fine, *levels_.back());
  }
}

/// A coarse face has the fluxes of four fine ones, over twice the distance.
void Multigrid::merge(const Level& fine, const Level& coarse) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const ConstArray k(fine.grid, fine.k[axis], {.reach = 1});
    const Array merged(coarse.grid, coarse.k[axis], {.reach = 1});
    Extents cells = extents_of(coarse);
    ++cells[axis];
    const auto part = [&](std::int64_t a, std::int64_t b) {
      std::array<std::int64_t, 3> child{};
      child[(axis + 1) % 3] = a;
      child[(axis + 2) % 3] = b;
      return children(k, cells, child);
    };
    const View<PetscScalar> all(merged.data(), cells,
                                {merged.stride(0), merged.stride(1), merged.stride(2), 1});
    petsc_poisson::merge_faces(part(0, 0), part(1, 0), part(0, 1), part(1, 1), all, 0.5);
  }
}

void Multigrid::operator()(Vec r, Vec z) {
  cycle(0, r);
  petsc_check(DMLocalToGlobal(finest().grid, finest().correction, INSERT_VALUES, z), "DMLocalToGlobal");
}

void Multigrid::cycle(std::size_t n, Vec right) {
  const Level& level = *levels_[n];
  const bool coarsest = n + 1 == levels_.size();
  const Faces k(level);
  const ConstArray rest(level.grid, right);
  const auto exchange = [&] {
    petsc_check(DMLocalToLocalBegin(level.grid, level.correction, INSERT_VALUES, level.correction),
                "DMLocalToLocalBegin");
    petsc_check(DMLocalToLocalEnd(level.grid, level.correction, INSERT_VALUES, level.correction),
                "DMLocalToLocalEnd");
  };
  const auto sweep = [&](Colour colour) { // from the cells of the other colour, also of other ranks
    exchange();
    const Array z(level.grid, level.correction, {.reach = 1});
    petsc_poisson::coarse_smooth(k.x, k.y, k.z, z, rest, colour, colour + 1);
  };
  // The first sweep writes red cells only: what black ones were before must not show in the last digits.
  petsc_check(VecSet(level.correction, 0), "VecSet");
  petsc_poisson::coarse_first(k.x, k.y, k.z, rest, Array(level.grid, level.correction), red, red + 1);
  sweep(black);
  for (int i = 1; i < sweeps_of(n, levels_.size()); ++i) {
    sweep(red);
    sweep(black);
  }
  if (!coarsest) {
    const Level& coarse = *levels_[n + 1];
    const Extents cells = extents_of(coarse);
    exchange();
    {
      const ConstArray z(level.grid, level.correction, {.reach = 1});
      const Array left(level.grid, level.left);
      petsc_poisson::coarse_remains(k.x, k.y, k.z, z, rest, left, red, red + 1);
      const auto child = [&](std::size_t i) { return children(left, cells, red_children[i]); };
      petsc_poisson::restrict_left(child(0), child(1), child(2), child(3), Array(coarse.grid, coarse.rest));
    }
    cycle(n + 1, coarse.rest);
    const Array z(level.grid, level.correction);
    const auto child = [&](std::size_t i) { return children(z, cells, red_children[i]); };
    petsc_poisson::prolong(ConstArray(coarse.grid, coarse.correction), child(0), child(1), child(2),
                           child(3));
  }
  for (int i = 0; i < sweeps_of(n, levels_.size()); ++i) {
    sweep(black);
    sweep(red);
  }
}
