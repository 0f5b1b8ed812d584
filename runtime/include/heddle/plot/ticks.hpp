// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLOT_TICKS_HPP
#define HEDDLE_PLOT_TICKS_HPP

#include <string>
#include <vector>

#include "heddle/plot/plane.hpp"

namespace heddle::plot {

/// Where an axis is marked, with the text of each mark.
struct Ticks {
  std::vector<double> values;
  std::vector<std::string> labels;
};

/// About `count` round numbers (1, 2, 2.5 or 5 times a power of ten) inside `range`, labelled with as few
/// digits as tell them apart. Throws Error where the range is empty or not finite.
[[nodiscard]] Ticks round_ticks(Range range, int count);

} // namespace heddle::plot

#endif
