// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_PROJECTION_TIME_STEP_HPP
#define HEDDLE_SRC_PROJECTION_TIME_STEP_HPP

#include <cmath>
#include <sstream>

#include "heddle/core/error.hpp"

namespace heddle {

/// Throws Error for a time step that velocities cannot be divided by and multiplied with: 0, NaN, infinite,
/// too large or too small. T: in what the projection computes.
template <class T> void require_time_step(const char* where, double step) {
  if (std::isnormal(static_cast<T>(step)) && std::isnormal(static_cast<T>(1 / step))) return;
  std::ostringstream what;
  what << "a time step of " << step << " destroys the velocity";
  throw Error(where, what.str(), "use a finite step that is not 0");
}

} // namespace heddle

#endif
