// SPDX-License-Identifier: Apache-2.0
// The linear systems (I - gamma J) x = b that Newton's method meets in cells of air.
#ifndef HEDDLE_BENCH_LINEAR_SYSTEMS_HPP
#define HEDDLE_BENCH_LINEAR_SYSTEMS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "mass_action.hpp"

/// One solution that CVODE asked for: all cells have the same gamma, as in the study, where one integrator
/// has all cells. Species by cells, cells fastest.
struct Moment {
  std::int64_t call = 0;             ///< of 120 s since the start
  std::int64_t number = 0;           ///< of the solution in this call
  double gamma = 0;                  ///< s
  std::vector<double> concentration; ///< where J is taken; mol m-3
  std::vector<double> right_side;    ///< mol m-3
  std::vector<double> solution;      ///< what CVODE got, mol m-3; files do not have it
};

/// Moments of a run, and what they share.
struct Draw {
  std::int64_t cells = 0;
  std::vector<double> air;           ///< mol m-3
  std::vector<double> rate_constant; ///< reactions by cells, cells fastest
  std::vector<Moment> moments;
};

/// Throws heddle::Error if the file cannot be written, or is no such file.
void write(const Draw& draw, const std::string& file);
[[nodiscard]] Draw read(const std::string& file);

/// Where entries of the matrix of a cell stand, row by row.
struct SparseRows {
  std::vector<std::int32_t> start; ///< of each row in `column`, and their number
  std::vector<std::int32_t> column;
  std::vector<std::int32_t> diagonal; ///< place of (i, i)

  [[nodiscard]] std::int32_t rows() const { return static_cast<std::int32_t>(diagonal.size()); }
  [[nodiscard]] std::int32_t entries() const { return static_cast<std::int32_t>(column.size()); }
};

/// Systems of cells side by side; the values of a cell are together.
struct LinearSystems {
  SparseRows pattern;
  std::int64_t cells = 0;
  std::vector<double> matrix;     ///< cells by entries
  std::vector<double> right_side; ///< cells by rows; mole fractions in ppm, as the study has them

  /// |b - A x|^2 of a cell. x: cells by rows.
  [[nodiscard]] double residual_squared(std::int64_t cell, const std::vector<double>& x) const;
};

/// Of cells first, first + 1, ... of a moment; J from the tables of reactions.
[[nodiscard]] LinearSystems systems_of(const Draw& draw, const Moment& moment,
                                       const std::vector<Reaction>& reactions, std::int64_t first,
                                       std::int64_t cells);

/// x by dense Gaussian elimination with pivots by size: slow, and independent of all else here.
[[nodiscard]] std::vector<double> dense_solution(const LinearSystems& systems, std::int64_t cell);

#endif
