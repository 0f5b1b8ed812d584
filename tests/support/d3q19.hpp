// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_D3Q19_HPP
#define HEDDLE_TESTS_D3Q19_HPP

#include <array>

namespace test {

using Velocity = std::array<int, 3>;

/// D3Q19 in the order of lbm.md, section 1: rest, then pairs of opposite velocities.
inline constexpr std::array<Velocity, 19> d3q19{{{0, 0, 0},
                                                 {1, 0, 0},
                                                 {-1, 0, 0},
                                                 {0, 1, 0},
                                                 {0, -1, 0},
                                                 {0, 0, 1},
                                                 {0, 0, -1},
                                                 {1, 1, 0},
                                                 {-1, -1, 0},
                                                 {1, -1, 0},
                                                 {-1, 1, 0},
                                                 {1, 0, 1},
                                                 {-1, 0, -1},
                                                 {1, 0, -1},
                                                 {-1, 0, 1},
                                                 {0, 1, 1},
                                                 {0, -1, -1},
                                                 {0, 1, -1},
                                                 {0, -1, 1}}};

inline constexpr int opposite(int q) {
  return q == 0 ? 0 : (q % 2 == 1 ? q + 1 : q - 1);
}

} // namespace test

#endif
