// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_LATTICE_HPP
#define HEDDLE_TESTS_LATTICE_HPP

#include <array>
#include <cstddef>
#include <vector>

#include "heddle/link.hpp"
#include "heddle/slot_offset.hpp"

namespace lattice {

/// D3Q19 in the order of lbm.md, section 1: rest, then pairs of opposite velocities.
inline constexpr std::array<std::array<int, 3>, 19> d3q19{{{0, 0, 0},
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

inline int opposite(int q) {
  return q == 0 ? 0 : (q % 2 == 1 ? q + 1 : q - 1);
}

inline std::array<int, 3> back(int q) {
  const std::array<int, 3>& c = d3q19[static_cast<std::size_t>(q)];
  return {-c[0], -c[1], -c[2]};
}

inline std::vector<heddle::Link> aa_links() {
  std::vector<heddle::Link> links;
  for (int q = 1; q < 19; ++q)
    links.push_back({opposite(q), back(q), q});
  return links;
}

inline std::vector<heddle::Link> pull_links() {
  std::vector<heddle::Link> links;
  for (int q = 1; q < 19; ++q)
    links.push_back({q, back(q), opposite(q)});
  return links;
}

/// Odd AA step: reads f_q from slot opp(q) at x - c_q.
inline std::vector<heddle::SlotOffset> aa_odd_reads() {
  std::vector<heddle::SlotOffset> touches;
  for (int q = 1; q < 19; ++q)
    touches.push_back({opposite(q), back(q)});
  return touches;
}

/// Odd AA step: writes f*_q to slot q at x + c_q.
inline std::vector<heddle::SlotOffset> aa_odd_writes() {
  std::vector<heddle::SlotOffset> touches;
  for (int q = 1; q < 19; ++q)
    touches.push_back({q, d3q19[static_cast<std::size_t>(q)]});
  return touches;
}

} // namespace lattice

#endif
