// SPDX-License-Identifier: Apache-2.0
#include "overlap_autotuner.hpp"

#include <algorithm>
#include <cstdio>

namespace heddle {

double OverlapAutotuner::median(bool overlap) const {
  std::vector<double> timed(times_[overlap].begin() + warm_turns, times_[overlap].end());
  const auto middle = timed.begin() + timed_turns / 2;
  std::nth_element(timed.begin(), middle, timed.end());
  return *middle;
}

bool OverlapAutotuner::overlap() const noexcept {
  return open() ? turns() % 2 == 0 : median(true) <= median(false);
}

void OverlapAutotuner::note(double seconds) {
  times_[overlap()].push_back(seconds);
}

OverlapDecision OverlapAutotuner::choice() const {
  if (open()) return {overlap(), "not measured yet"};
  std::array<char, 100> text{};
  std::snprintf(text.data(), text.size(),
                "measured: an iteration takes %.4g us with overlap, %.4g us without", 1e6 * median(true),
                1e6 * median(false));
  return {overlap(), text.data()};
}

} // namespace heddle
