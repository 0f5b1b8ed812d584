// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_LATTICE_HPP
#define HEDDLE_TESTS_LATTICE_HPP

#include <array>
#include <cstddef>
#include <vector>

#include "d3q19.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/sparse/link.hpp"

namespace lattice {

using test::d3q19;
using test::opposite;

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

/// What crosses for a kernel that touches one component at an offset of at most one cell along each axis: the
/// shifted interior, side by side.
inline void add_regions(std::vector<heddle::HaloRegion>& regions, int component,
                        const std::array<int, 3>& offset) {
  for (int subset = 1; subset < 8; ++subset) {
    heddle::HaloRegion region{0, component, {}, {}, {}};
    bool reached = true;
    for (std::size_t d = 0; d < 3; ++d) {
      const bool across = (subset >> d & 1) != 0;
      reached = reached && (!across || offset[d] != 0);
      region.anchor[d] = across ? offset[d] : 0;
      region.near[d] = across ? 0 : (offset[d] > 0 ? 1 : 0);
      region.far[d] = across ? 1 : (offset[d] < 0 ? 1 : 0);
    }
    if (reached) regions.push_back(region);
  }
}

/// Odd AA step: reads f_q from slot opp(q) at x - c_q.
inline std::vector<heddle::HaloRegion> aa_odd_reads() {
  std::vector<heddle::HaloRegion> regions;
  for (int q = 1; q < 19; ++q)
    add_regions(regions, opposite(q), back(q));
  return regions;
}

/// Odd AA step: writes f*_q to slot q at x + c_q.
inline std::vector<heddle::HaloRegion> aa_odd_writes() {
  std::vector<heddle::HaloRegion> regions;
  for (int q = 1; q < 19; ++q)
    add_regions(regions, q, d3q19[static_cast<std::size_t>(q)]);
  return regions;
}

} // namespace lattice

#endif
