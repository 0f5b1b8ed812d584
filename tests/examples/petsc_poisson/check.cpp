// SPDX-License-Identifier: Apache-2.0
// The preconditioner on PETSc's vectors: symmetric, the same bits on any number of ranks, and as many
// iterations as heddle::ConjugateGradient needs, with the solution that is known.
#include <petscdmda.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "alone.hpp"
#include "multigrid.hpp"
#include "solve.hpp"

namespace {

using heddle::adapters::petsc_check;

int failures = 0;
void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  ++failures;
}

/// A vector of `grid` with values that depend on the place alone.
Vec some_vector(DM grid, int which) {
  Vec vector = nullptr;
  petsc_check(DMCreateGlobalVector(grid, &vector), "DMCreateGlobalVector");
  for_cells(grid, vector, [&](auto x, auto y, auto z, double& value) {
    const std::uint32_t place = static_cast<std::uint32_t>((z * 64 + y) * 64 + x + which);
    value = static_cast<double>(place * 2654435761U % 1000003U) / 1000003 - 0.5;
  });
  return vector;
}

double product(Vec x, Vec y) {
  PetscScalar value = 0;
  petsc_check(VecDot(x, y, &value), "VecDot");
  return value;
}

/// (x, M y) = (M x, y), and the same of the operator.
template <class Apply> void is_symmetric(const char* what, DM grid, Apply& apply) {
  Vec x = some_vector(grid, 0), y = some_vector(grid, 12345), m_x = some_vector(grid, 0),
      m_y = some_vector(grid, 0);
  apply(x, m_x);
  apply(y, m_y);
  const double one = product(x, m_y), other = product(m_x, y);
  expect(std::abs(one - other) < 1e-12 * std::sqrt(product(x, m_x) * product(y, m_y)), what);
  expect(product(x, m_x) > 0, what);
  for (Vec* vector : {&x, &y, &m_x, &m_y})
    petsc_check(VecDestroy(vector), "VecDestroy");
}

/// One V-cycle of all ranks against one that this rank computes alone.
void same_bits(Multigrid& all, PetscInt n) {
  Multigrid alone(PETSC_COMM_SELF, n);
  DM grid = all.finest().grid, grid_alone = alone.finest().grid;
  Vec r = some_vector(grid, 7), z = some_vector(grid, 0);
  Vec r_alone = some_vector(grid_alone, 7), z_alone = some_vector(grid_alone, 0);
  all(r, z);
  alone(r_alone, z_alone);
  std::int64_t wrong = 0;
  {
    const heddle::adapters::PetscArray<const PetscScalar> whole(grid_alone, z_alone);
    for_cells(grid, z, [&](auto i, auto j, auto k, double value) {
      const double other = whole.data()[i * whole.stride(0) + j * whole.stride(1) + k * whole.stride(2)];
      wrong += std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(other);
    });
  }
  expect(wrong == 0, "a V-cycle gives the same bits on any number of ranks");
  for (Vec* vector : {&r, &z, &r_alone, &z_alone})
    petsc_check(VecDestroy(vector), "VecDestroy");
}

} // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
  constexpr PetscInt n = 16;
  {
    Multigrid multigrid(PETSC_COMM_WORLD, n);
    PoissonOperator poisson(multigrid.finest());
    expect(multigrid.levels() == 3, "levels have 16, 8 and 4 cells along each axis");
    is_symmetric("the operator is symmetric and positive", multigrid.finest().grid, poisson);
    is_symmetric("the preconditioner is symmetric and positive", multigrid.finest().grid, multigrid);
    same_bits(multigrid, n);
  }
  const Solved kernels = solver_with_kernels(PETSC_COMM_WORLD, n)();
  const Solved alone = solver_alone(n)();
  expect(kernels.iterations == alone.iterations, "as many iterations as heddle::ConjugateGradient");
  expect(kernels.error < 1e-7 && alone.error < 1e-7, "the solution is known");
  bool refused = false;
  try {
    static_cast<void>(Multigrid(PETSC_COMM_WORLD, 12));
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  expect(refused, "12 cells are refused");
  return PetscFinalize() != 0 || failures != 0 ? 1 : 0;
}
