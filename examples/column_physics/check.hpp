// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_CHECK_HPP
#define HEDDLE_COLUMN_PHYSICS_CHECK_HPP

#include "fields.hpp"
#include "options.hpp"

namespace front {

/// Of the sum of the Courant numbers along the three axes: beyond it the limiter cannot keep signs.
inline constexpr double largest_courant = 1;
/// Cells along x and y that a block has at least: twice what kernels read of a neighbour.
[[nodiscard]] inline int least_block(const Options& options) {
  return options.at_once() ? 8 : 6;
}

/// Both look at the copies of fields on the host: q_here, ru_here and so on.

/// The largest Courant number of the cells here. Throws heddle::Error with the cell where it is above
/// `largest_courant`.
double require_courant(const Air& air, const Options& options);

/// Throws heddle::Error with the cell where a tracer is not finite, and where it is negative by more than
/// rounding, 1e-9. Returns how many values are negative by less.
std::int64_t require_finite(const Air& air);

} // namespace front

#endif
