// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_BENCH_LINEAR_DIRECT_HPP
#define HEDDLE_BENCH_LINEAR_DIRECT_HPP

#include <cstdint>
#include <vector>

#include "systems.hpp"

/// x of all cells by the emitted sparse factorisation, cells by rows. Carbon Bond 2005 only; throws
/// heddle::Error for another pattern.
[[nodiscard]] std::vector<double> direct_solution(const LinearSystems& systems);

/// The largest of all cells. A cell with b = 0, or x_LU = 0, counts only where there should be 0.
struct Accuracy {
  double residual = 0; ///< |b - A x| / |b|
  double error = 0;    ///< |x - exact| / |exact|

  void add(const Accuracy& other);
};
[[nodiscard]] Accuracy accuracy(const LinearSystems& systems, const std::vector<double>& x,
                                const std::vector<double>& exact);
/// Of one cell.
[[nodiscard]] Accuracy accuracy_of(const LinearSystems& systems, std::int64_t cell,
                                   const std::vector<double>& x, const std::vector<double>& exact);

#endif
