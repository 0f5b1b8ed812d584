// SPDX-License-Identifier: Apache-2.0
// Poisson's equation in a unit cube by PETSc's conjugate gradients: with emitted kernels as operator and
// preconditioner, and with PETSc's own matrix and multigrid. They solve in turns, so that what else keeps the
// processors busy slows all of them.
//   petsc_poisson [-n 64] [-runs 3] [PETSc's options]
#include <petscksp.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include "alone.hpp"
#include "solve.hpp"

namespace {

using heddle::adapters::petsc_check;

/// A solver, what it did in its last turn, and the seconds of all its turns.
struct Entry {
  const char* what;
  Solver solve;
  Solved last;
  std::vector<double> seconds;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Beside the first solver: the median, least and largest ratio of a turn.
void print(const Entry& entry, const Entry& first) {
  std::vector<double> ratios;
  for (std::size_t turn = 0; turn < entry.seconds.size(); ++turn)
    ratios.push_back(entry.seconds[turn] / first.seconds[turn]);
  petsc_check(PetscPrintf(PETSC_COMM_WORLD,
                          "%-34s %3d iterations  least %7.4f s  median %7.4f s  ratio %5.2f (%.2f to %.2f)"
                          "  error %.0e\n",
                          entry.what, static_cast<int>(entry.last.iterations),
                          std::ranges::min(entry.seconds), median(entry.seconds), median(ratios),
                          std::ranges::min(ratios), std::ranges::max(ratios), entry.last.error),
              "PetscPrintf");
}

void run() {
  PetscInt n = 64;
  PetscInt runs = 3;
  int ranks = 1;
  petsc_check(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr), "PetscOptionsGetInt");
  petsc_check(PetscOptionsGetInt(nullptr, nullptr, "-runs", &runs, nullptr), "PetscOptionsGetInt");
  petsc_check(MPI_Comm_size(PETSC_COMM_WORLD, &ranks), "MPI_Comm_size");
  std::vector<Entry> entries;
  entries.push_back({"PETSc's CG, kernels of Heddle:", solver_with_kernels(PETSC_COMM_WORLD, n), {}, {}});
  entries.push_back({"PETSc's CG, PETSc's multigrid:", solver_with_petsc(PETSC_COMM_WORLD, n), {}, {}});
  if (ranks == 1) entries.push_back({"Heddle's CG, without PETSc:", solver_alone(n), {}, {}});
  for (PetscInt turn = 0; turn < std::max<PetscInt>(runs, 1); ++turn)
    for (Entry& entry : entries) {
      entry.last = entry.solve();
      entry.seconds.push_back(entry.last.seconds);
    }
  for (const Entry& entry : entries)
    print(entry, entries.front());
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
