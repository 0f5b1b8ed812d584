// SPDX-License-Identifier: Apache-2.0
// BiCGStab with a Jacobi preconditioner, as the Block-cells study has it: cells of a group are one system
// with a block per cell, and share alpha, omega and the test of the residual.
//   H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13, 631 (1992); C. Guzman Ruiz et al., the Block-cells
//   study.
#ifndef HEDDLE_BENCH_LINEAR_BICGSTAB_HPP
#define HEDDLE_BENCH_LINEAR_BICGSTAB_HPP

#include <cstdint>
#include <vector>

#include "systems.hpp"

/// When a group is done: e = |r| <= max(absolute, relative |b|).
struct StopRule {
  double absolute;
  double relative;
  bool single;              ///< e is rounded to single precision, and so is what its root is taken of
  std::int32_t most = 1000; ///< iterations
};

/// Of the study: |r| <= 1e-30 ppm. In single precision |r|^2 is 0 below 7e-46, so this is 2.6e-23 ppm.
inline constexpr StopRule study_rule{1e-30, 0, true};
/// What Newton's method needs: it stops at a tenth of its tolerance or so, and asks again.
inline constexpr StopRule newton_rule{0, 1e-3, false};

/// How a group ended. breakdown: a number by which to divide was 0, or not finite; x is that of the last
/// iteration that was whole.
enum class Ended : std::int32_t { converged = 0, too_many = 1, breakdown = 2 };

struct GroupResult {
  std::int32_t iterations = 0;
  Ended ended = Ended::converged;
};

/// Solves cells first, first + 1, ... as one system. x: of all cells, cells by rows. threads: products of a
/// dot product are added up by a halving tree within so many rows, as a block of threads does it, and the
/// sums of these one after the other. 0: one tree for all rows.
GroupResult bicgstab(const LinearSystems& systems, std::int64_t first, std::int64_t cells,
                     const StopRule& rule, std::int64_t threads, std::vector<double>& x);

#endif
