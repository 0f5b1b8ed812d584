// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_COMMON_D2Q9_HPP
#define HEDDLE_LBM_COMMON_D2Q9_HPP

#include <array>

#include "../../support/d3q19.hpp"

namespace test {

/// D2Q9 in the order of the lattices: rest, then pairs of opposite velocities.
inline constexpr std::array<Velocity, 9> d2q9{{{0, 0, 0},
                                               {1, 0, 0},
                                               {-1, 0, 0},
                                               {0, 1, 0},
                                               {0, -1, 0},
                                               {1, 1, 0},
                                               {-1, -1, 0},
                                               {1, -1, 0},
                                               {-1, 1, 0}}};

} // namespace test

#endif
