// SPDX-License-Identifier: Apache-2.0
#include "direct.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "cb05_linear.h"
#include "heddle/core/error.hpp"

std::vector<double> direct_solution(const LinearSystems& systems) {
  const std::int64_t rows = systems.pattern.rows();
  const std::int64_t entries = systems.pattern.entries();
  std::vector<double> x(systems.right_side.size());
  const std::int64_t matrix_extent[] = {systems.cells, entries};
  const std::int64_t matrix_stride[] = {entries, 1};
  const std::int64_t extent[] = {systems.cells, rows};
  const std::int64_t stride[] = {rows, 1};
  const int status =
      cb05_linear_solve_once_f64(systems.matrix.data(), matrix_extent, matrix_stride,
                                 systems.right_side.data(), extent, stride, x.data(), extent, stride);
  if (status != 0)
    throw heddle::Error("the emitted factorisation", "it returned " + std::to_string(status),
                        "give systems of Carbon Bond 2005: 66 rows, 652 entries");
  return x;
}

void Accuracy::add(const Accuracy& other) { // NaN stays
  residual = other.residual > residual || std::isnan(other.residual) ? other.residual : residual;
  error = other.error > error || std::isnan(other.error) ? other.error : error;
}

Accuracy accuracy_of(const LinearSystems& systems, std::int64_t cell, const std::vector<double>& x,
                     const std::vector<double>& exact) {
  const auto rows = static_cast<std::size_t>(systems.pattern.rows());
  const auto n = static_cast<std::size_t>(cell);
  const auto relative = [](double part, double whole) { return part == 0 ? 0 : std::sqrt(part / whole); };
  double b = 0, difference = 0, size = 0;
  for (std::size_t i = n * rows; i < (n + 1) * rows; ++i) {
    b += systems.right_side[i] * systems.right_side[i];
    difference += (x[i] - exact[i]) * (x[i] - exact[i]);
    size += exact[i] * exact[i];
  }
  return {relative(systems.residual_squared(cell, x), b), relative(difference, size)};
}

Accuracy accuracy(const LinearSystems& systems, const std::vector<double>& x,
                  const std::vector<double>& exact) {
  Accuracy found;
  for (std::int64_t cell = 0; cell < systems.cells; ++cell)
    found.add(accuracy_of(systems, cell, x, exact));
  return found;
}
