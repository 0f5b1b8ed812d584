// SPDX-License-Identifier: Apache-2.0
// The matrices of columns that are cut into segments of levels, one a rank: what remains of a segment when
// all of its levels but the highest are eliminated, and the system of those highest ones.
#ifndef HEDDLE_SRC_POISSON_SEGMENT_ROWS_HPP
#define HEDDLE_SRC_POISSON_SEGMENT_ROWS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/poisson/poisson_problem.hpp"

namespace heddle {

/// The matrix of one column of a segment with levels `first` to `last` - 1, in terms of X_before, the highest
/// unknown of the segment below, and X, its own highest one:
///   x_(last-2) = alpha X_before + ... X + ...     x_first = ... X_before + head_gamma X + ...
/// slack = 1 - (what stands before X_before and X) is carried along for both, so that nothing is subtracted.
struct SegmentEnds {
  double alpha = 1, slack = 0;
  double head_gamma = 1, head_slack = 0;
};

/// Eliminates upwards; rows as in ColumnCoefficients, v = density lambda + excess.
inline SegmentEnds segment_ends(const ColumnCoefficients& rows, std::size_t first, std::size_t last,
                                double lambda) {
  SegmentEnds ends; // below the first level lies X_before itself
  for (std::size_t k = first; k + 1 < last; ++k) {
    const double rest = rows.lower[k] * ends.slack + (rows.density[k] * lambda + rows.excess[k]);
    const double kept = rows.lower[k] * ends.alpha;
    const double inverse = 1 / (kept + rows.upper[k] + rest);
    ends.alpha = kept * inverse;
    ends.slack = rest * inverse;
    ends.head_slack += ends.head_gamma * ends.slack;
    ends.head_gamma *= rows.upper[k] * inverse;
  }
  return ends;
}

/// The systems of the highest unknowns of all segments, for some columns side by side, eliminated once:
///   -lower X[s-1] + (lower + upper + v) X[s] - upper X[s+1] = f[s],
/// where X[-1] is the last and X[segments] the first unknown: of columns with ends, lower of the first and
/// upper of the last segment are 0. The last unknown is kept while the others are eliminated (see
/// heddle.solvers.tridiagonal, eliminate_periodic, which is the same for the rows of a field).
template <class Real> class ReducedSystems {
public:
  /// Coefficient of segment s, column i at s * columns + i.
  ReducedSystems(const std::vector<Real>& lower, const std::vector<Real>& upper, const std::vector<Real>& v,
                 std::size_t segments)
      : segments_(segments), columns_(v.size() / segments), lower_(lower), inverse_(v.size()),
        reach_(v.size()), ratio_(v.size()), last_upper_(columns_) {
    for (std::size_t i = 0; i < columns_; ++i) {
      Real reach = 1, excess_below = 0, first_ratio = 1, first_excess = 0;
      for (std::size_t s = 0; s < segments; ++s) {
        const std::size_t at = s * columns_ + i;
        const bool last = s + 1 == segments;
        const Real excess = v[at] + lower[at] * excess_below;
        const Real kept = last ? upper[at] * first_excess : upper[at] + lower[at] * reach;
        // 0 for the last pivot of the constant that a singular problem leaves open.
        inverse_[at] = excess + kept > 0 ? 1 / (excess + kept) : Real(0);
        reach_[at] = reach = last ? Real(0) : lower[at] * reach * inverse_[at];
        ratio_[at] = last ? Real(0) : upper[at] * inverse_[at];
        excess_below = excess * inverse_[at];
        first_excess += first_ratio * excess_below;
        first_ratio *= ratio_[at];
        if (last) last_upper_[i] = upper[at];
      }
    }
  }

  /// Replaces f by X, for columns first <= i < last.
  void solve(Real* f, std::size_t first, std::size_t last) const {
    constexpr std::size_t side_by_side = 128; // what is carried of them stays in the first cache
    for (std::size_t i = first; i < last; i += side_by_side)
      solve_some<side_by_side>(f, i, std::min(side_by_side, last - i));
  }

private:
  template <std::size_t most> void solve_some(Real* f, std::size_t first, std::size_t count) const {
    std::array<Real, most> carried{}, first_ratio, first_value{};
    first_ratio.fill(1);
    for (std::size_t s = 0; s < segments_; ++s) {
      const std::size_t row = s * columns_ + first;
      const bool last = s + 1 == segments_;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = row + i;
        const Real around = last ? last_upper_[first + i] * first_value[i] : Real(0);
        f[at] = carried[i] = (lower_[at] * carried[i] + f[at] + around) * inverse_[at];
        first_value[i] += first_ratio[i] * carried[i];
        first_ratio[i] *= ratio_[at];
      }
    }
    const Real* const end =
        f + (segments_ - 1) * columns_ + first; // carried is that of the segment above now
    for (std::size_t s = segments_ - 1; s-- > 0;) {
      const std::size_t row = s * columns_ + first;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = row + i;
        f[at] = carried[i] = f[at] + reach_[at] * end[i] + ratio_[at] * carried[i];
      }
    }
  }

  std::size_t segments_, columns_;
  std::vector<Real> lower_, inverse_, reach_, ratio_;
  std::vector<Real> last_upper_; // of the last segment: what couples it to the first one
};

} // namespace heddle

#endif
