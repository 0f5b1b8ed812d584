// SPDX-License-Identifier: Apache-2.0
#include "heddle/solvers/conjugate_gradient.hpp"

#include <sstream>

namespace heddle {

std::string to_string(const Descent& descent) {
  std::ostringstream text;
  text << to_string(descent.solution.outcome) << " after " << descent.solution.cycles << " cycles, residual "
       << descent.residual << ", change " << descent.change;
  return text.str();
}

} // namespace heddle
