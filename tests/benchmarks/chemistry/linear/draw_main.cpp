// SPDX-License-Identifier: Apache-2.0
// heddle-draw-systems FILE [levels [hours [calls kept [systems of a call [rtol [atol]]]]]]: linear systems
// that CVODE meets in the realistic column of the Block-cells study, for heddle-compare-linear. Rodas3
// advances the cells from call to call; in the calls kept, which lie at equal distances, CVODE integrates the
// same 120 s with one step for all cells, and each so many-th system that it solves is written.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "draw.hpp"
#include "heddle/core/error.hpp"

int main(int count, char** arguments) {
  if (count < 2) {
    std::printf(
        "usage: heddle-draw-systems FILE [levels [hours [calls kept [systems of a call [rtol [atol]]]]]]\n");
    return 2;
  }
  const auto number = [&](int n, double usual) { return count > n ? std::atof(arguments[n]) : usual; };
  DrawOptions options;
  options.levels = static_cast<std::int64_t>(number(2, 10'000));
  options.calls = static_cast<std::int64_t>(number(3, 24) * 30);
  const auto kept = static_cast<std::int64_t>(number(4, 4));
  const auto systems = static_cast<std::int64_t>(number(5, 3));
  options.relative_tolerance = number(6, 1e-4);
  options.absolute_tolerance = number(7, 1e-16);
  for (std::int64_t n = 0; n < kept; ++n)
    options.kept.push_back((2 * n + 1) * options.calls / (2 * kept));
  for (std::int64_t n = 0; n < systems; ++n)
    options.parts.push_back((static_cast<double>(n) + 0.5) / static_cast<double>(systems));
  try {
    std::vector<CallReport> reports;
    const Draw draw = draw_systems(options, reports);
    for (const CallReport& report : reports) {
      std::vector<double> sorted = report.gammas;
      std::ranges::sort(sorted);
      std::printf("call %3lld: %lld steps, %zu solutions, gamma %.2e to %.2e s, median %.2e%s\n",
                  static_cast<long long>(report.call), static_cast<long long>(report.steps), sorted.size(),
                  sorted.front(), sorted.back(), sorted[sorted.size() / 2],
                  report.failed ? ", then CVODE failed" : "");
    }
    write(draw, arguments[1]);
  } catch (const heddle::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return 0;
}
