// SPDX-License-Identifier: Apache-2.0
// The problem: sum over the faces of a cell of k (own value - neighbour) = b, on n^3 cells of a unit cube
// with phi = 0 at its walls; k is the size of a cell, twice that at walls, which are half as far away. b is
// made of modes, which are eigenvectors, so the solution is known to the last digits.
#ifndef PETSC_POISSON_PROBLEM_HPP
#define PETSC_POISSON_PROBLEM_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

class Problem {
public:
  explicit Problem(std::int64_t n) : n_(static_cast<double>(n)) {}

  [[nodiscard]] double solution(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return sum(x, y, z, [](double) { return 1.0; });
  }
  [[nodiscard]] double right(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return sum(x, y, z, [](double eigenvalue) { return eigenvalue; });
  }

private:
  using Waves = std::array<int, 3>; // half waves along each axis
  static constexpr std::array<Waves, 4> modes{{{1, 1, 1}, {3, 2, 1}, {7, 5, 6}, {1, 12, 15}}};

  /// The sum of all modes at a cell, each times factor(its eigenvalue).
  template <class Factor>
  double sum(std::int64_t x, std::int64_t y, std::int64_t z, const Factor& factor) const {
    const std::array<std::int64_t, 3> cell{x, y, z};
    double all = 0;
    for (const Waves& waves : modes) {
      double eigenvalue = 0;
      double mode = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double half = std::numbers::pi * waves[axis] / (2 * n_); // half the phase from cell to cell
        eigenvalue += 4 / n_ * std::pow(std::sin(half), 2);
        mode *= std::sin(half * static_cast<double>(2 * cell[axis] + 1));
      }
      all += factor(eigenvalue) * mode;
    }
    return all;
  }

  double n_;
};

/// What a solver did: iterations, seconds, and the largest error of the solution.
struct Solved {
  std::int64_t iterations = 0;
  double seconds = 0;
  double error = 0;
};

#endif
