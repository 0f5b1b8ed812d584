// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_BENCH_LINEAR_DRAW_HPP
#define HEDDLE_BENCH_LINEAR_DRAW_HPP

#include <cstdint>
#include <vector>

#include "systems.hpp"

struct DrawOptions {
  std::int64_t levels = 10'000; ///< of the study's column
  std::int64_t calls = 720;     ///< of 120 s
  /// Calls whose systems are kept; in the others Rodas3 alone advances the cells.
  std::vector<std::int64_t> kept;
  /// Of the solutions in a kept call, those at these parts of them (0: the first, 1: the last).
  std::vector<double> parts;
  double relative_tolerance = 1e-4;  ///< of CVODE
  double absolute_tolerance = 1e-16; ///< mol m-3
};

/// What CVODE did in a kept call.
struct CallReport {
  std::int64_t call = 0;
  std::int64_t steps = 0;
  std::vector<double> gammas; ///< s, of each solution
  bool failed = false;        ///< CVODE gave up; its solutions until then are kept
};

/// Runs the realistic column of the study for a day. Cells get from call to call by Rodas3, each with steps
/// of its own. In the kept calls CVODE integrates the same 120 s, with one step for all cells (Multi-cells),
/// and the systems that it asks for are kept.
[[nodiscard]] Draw draw_systems(const DrawOptions& options, std::vector<CallReport>& reports);

#endif
