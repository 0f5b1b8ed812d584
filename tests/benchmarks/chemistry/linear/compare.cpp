// SPDX-License-Identifier: Apache-2.0
// heddle-compare-linear FILE [cells [hosted moments [systems...]]]: the linear systems of a file of
// heddle-draw-systems, by the emitted sparse factorisation and by BiCGStab with a Jacobi preconditioner as in
// the Block-cells study: groups of 1, 2, 3, 6 and as many cells as 1024 threads hold, and all (Multi-cells).
// Each with the study's rule, |r| <= 1e-30 ppm, where |r|^2 is rounded to single precision, and with what
// Newton's method needs, |r| <= 1e-3 |b|. Iterations are counted on the host. A build with HEDDLE_CUDA then
// times all of them on a GPU, and 1e-6, too. systems: those of all moments one after the other, repeated
// until there are so many, for each number given; else all of them once and four times, and those of each
// moment.
//   thread per cell   the emitted kernels; at once: x of A x = b; LU kept: factorise, and solve; again: solve
//   block per 32      the same elimination from tables, in shared memory (elimination.hpp)
//   Block-cells(n)    a thread per row, vectors in device memory, as the study has it
//   a warp per cell   Block-cells(1) with matrix and vectors in registers
//   Multi-cells       a launch per operation, sums of blocks on the host; One-cell: the same for a cell
// residual: the largest |b - A x| / |b| of a cell. error: the largest |x - x_LU| / |x_LU|.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bicgstab.hpp"
#include "cb05_tables.hpp"
#include "direct.hpp"
#include "heddle/core/error.hpp"
#include "on_device.hpp"
#include "systems.hpp"

namespace {

struct Named {
  const char* name;
  StopRule rule;
};
constexpr std::array<Named, 2> rules{{{"study", study_rule}, {"1e-3", newton_rule}}};

/// Of all groups of a size, over all moments.
struct Count {
  double sum = 0;
  std::int32_t most = 0;
  std::int64_t groups = 0;
  std::int64_t failed = 0;
  Accuracy accuracy;

  void add(const GroupResult& result) {
    sum += result.iterations;
    most = std::max(most, result.iterations);
    ++groups;
    failed += result.ended != Ended::converged;
  }
};

/// cells: of a group; 0: all.
Count count(const LinearSystems& systems, const std::vector<double>& exact, std::int64_t cells,
            const StopRule& rule) {
  Count found;
  std::vector<double> x(exact.size());
  const std::int64_t group = cells > 0 ? cells : systems.cells;
  for (std::int64_t first = 0; first < systems.cells; first += group) {
    const std::int64_t here = std::min(group, systems.cells - first);
    found.add(bicgstab(systems, first, here, rule, cells > 0 ? 0 : 1024, x));
  }
  found.accuracy = accuracy(systems, x, exact);
  return found;
}

constexpr std::array<std::int64_t, 6> groups{1, 2, 3, 6, 15, 0}; // cells of each; 0: all
using Counts = std::array<std::array<Count, groups.size()>, rules.size()>;

void print(const Counts& total, const Accuracy& direct) {
  std::printf("%-16s %-6s %12s %5s %8s %9s %9s\n", "cells per group", "rule", "iterations", "most", "failed",
              "residual", "error");
  std::printf("%-16s %-6s %12s %5s %8s %9.1e\n", "emitted LU", "", "", "", "", direct.residual);
  for (std::size_t r = 0; r < rules.size(); ++r)
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Count& all = total[r][g];
      std::printf("%-16s %-6s %12.2f %5d %8lld %9.1e %9.1e\n",
                  groups[g] > 0 ? std::to_string(groups[g]).c_str() : "all", rules[r].name,
                  all.sum / static_cast<double>(all.groups), all.most, static_cast<long long>(all.failed),
                  all.accuracy.residual, all.accuracy.error);
    }
}

} // namespace

int main(int arguments, char** argument) {
  if (arguments < 2) {
    std::printf("usage: heddle-compare-linear FILE [cells [hosted moments [systems...]]]\n");
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  try {
    const Draw draw = read(argument[1]);
    const std::int64_t cells =
        std::min<std::int64_t>(draw.cells, arguments > 2 ? std::atoll(argument[2]) : draw.cells);
    const std::size_t hosted =
        arguments > 3 ? static_cast<std::size_t>(std::atoll(argument[3])) : draw.moments.size();
    std::printf("%lld cells, %zu moments\n", static_cast<long long>(cells), draw.moments.size());
    Counts total;
    Accuracy direct;
    for (std::size_t m = 0; m < std::min(hosted, draw.moments.size()); ++m) {
      const Moment& moment = draw.moments[m];
      const LinearSystems systems = systems_of(draw, moment, cb05_reactions, 0, cells);
      const std::vector<double> exact = direct_solution(systems);
      direct.add(accuracy(systems, exact, exact));
      std::printf("call %3lld, solution %2lld, gamma %8.2e s:", static_cast<long long>(moment.call),
                  static_cast<long long>(moment.number), moment.gamma);
      for (std::size_t r = 0; r < rules.size(); ++r) {
        std::printf("  %s", rules[r].name);
        for (std::size_t g = 0; g < groups.size(); ++g) {
          const Count found = count(systems, exact, groups[g], rules[r].rule);
          Count& all = total[r][g];
          all.sum += found.sum;
          all.most = std::max(all.most, found.most);
          all.groups += found.groups;
          all.failed += found.failed;
          all.accuracy.add(found.accuracy);
          std::printf(" %5.2f", found.sum / static_cast<double>(found.groups));
        }
      }
      std::printf("\n");
    }
    if (hosted > 0) print(total, direct);
    std::vector<std::int64_t> counts;
    for (int n = 4; n < arguments; ++n)
      counts.push_back(std::max<std::int64_t>(std::atoll(argument[n]), 1));
    time_on_device(draw, cells, counts);
  } catch (const heddle::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return 0;
}
