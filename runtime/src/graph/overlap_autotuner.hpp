// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_GRAPH_OVERLAP_AUTOTUNER_HPP
#define HEDDLE_SRC_GRAPH_OVERLAP_AUTOTUNER_HPP

#include <array>
#include <cstddef>
#include <vector>

#include "heddle/graph/overlap.hpp"

namespace heddle {

/// Iterations timed with and without overlap, turn by turn, until the faster way is known. The number of
/// turns is fixed, so that ranks with a graph each change ways together.
class OverlapAutotuner {
public:
  /// Launches of a graph (or iterations) of one turn.
  static constexpr int launches = 8;

  [[nodiscard]] bool open() const noexcept { return turns() < 2 * (warm_turns + timed_turns); }
  /// How the next iterations are run; once closed, the faster way.
  [[nodiscard]] bool overlap() const noexcept;
  /// How long an iteration of a turn took, in seconds.
  void note(double seconds);
  [[nodiscard]] OverlapDecision choice() const;

private:
  static constexpr std::size_t warm_turns = 1; // of each way: plans are made, graphs recorded, pages touched
  static constexpr std::size_t timed_turns = 5;

  [[nodiscard]] std::size_t turns() const noexcept { return times_[0].size() + times_[1].size(); }
  [[nodiscard]] double median(bool overlap) const;

  std::array<std::vector<double>, 2> times_; // without and with overlap
};

} // namespace heddle

#endif
