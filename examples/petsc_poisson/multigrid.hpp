// SPDX-License-Identifier: Apache-2.0
// Poisson's equation and red-black multigrid on vectors of PETSc: all memory, all communicators and all ghost
// cells are PETSc's, all arithmetic is in emitted kernels.
#ifndef PETSC_POISSON_MULTIGRID_HPP
#define PETSC_POISSON_MULTIGRID_HPP

#include <array>
#include <memory>
#include <vector>

#include "heddle/adapters/petsc.hpp"

/// A grid and its vectors, until it goes. Coefficients of faces: k[axis] has those of the lower faces, and of
/// the last upper ones in ghost cells; at the walls phi is 0.
struct Level {
  /// Takes `grid` over. Throws std::invalid_argument where a rank's cells do not begin at an even place.
  explicit Level(DM grid);
  ~Level();
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  DM grid;
  std::array<PetscInt, 3> cells{}; // of this rank
  std::array<Vec, 3> k{};          // local vectors
  Vec correction = nullptr;        // local: the smoother reads ghost cells
  Vec rest = nullptr;              // global, of all levels but the finest
  Vec left = nullptr;              // global
};

/// y = A x, A positive: sum over the faces of k (own value - neighbour).
class PoissonOperator {
public:
  explicit PoissonOperator(const Level& level);
  ~PoissonOperator();
  PoissonOperator(const PoissonOperator&) = delete;
  PoissonOperator& operator=(const PoissonOperator&) = delete;
  void operator()(Vec x, Vec y);

private:
  const Level* level_;
  Vec ghosted_ = nullptr;
};

/// One V-cycle from zero, as heddle::Multigrid does it on one block. It is symmetric, so that it may
/// precondition conjugate gradients: down, red cells before black ones; up, black before red, as many times;
/// restriction is the transpose of prolongation.
class Multigrid {
public:
  /// A cube of 1 with n cells along each axis, n a power of 2 and at least 8.
  Multigrid(MPI_Comm communicator, PetscInt n);
  /// z = M r.
  void operator()(Vec r, Vec z);
  [[nodiscard]] const Level& finest() const { return *levels_.front(); }
  [[nodiscard]] std::size_t levels() const { return levels_.size(); }

private:
  void cycle(std::size_t n, Vec rest);
  void merge(const Level& fine, const Level& coarse);

  std::vector<std::unique_ptr<Level>> levels_;
};

#endif
