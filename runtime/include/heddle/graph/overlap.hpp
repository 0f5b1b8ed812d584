// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRAPH_OVERLAP_HPP
#define HEDDLE_GRAPH_OVERLAP_HPP

#include <string>

namespace heddle {

/// Whether a TaskGraph computes interiors while messages travel. The results are the same, the time is not:
/// over NVLink, in a graph of several iterations, splitting a small block may cost more than the overlap
/// saves.
class Overlap {
public:
  /// automatic: time the first iterations both ways, and keep the faster way.
  enum Way { off, on, automatic };

  constexpr Overlap(Way way) noexcept : way_(way) {}
  constexpr Overlap(bool overlapping) noexcept : way_(overlapping ? on : off) {}

  friend constexpr bool operator==(Overlap, Overlap) noexcept = default;

private:
  Way way_;
};

/// What a TaskGraph does, and why.
struct OverlapDecision {
  bool overlap = true;
  std::string reason;
};

} // namespace heddle

#endif
