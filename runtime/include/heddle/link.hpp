// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LINK_HPP
#define HEDDLE_LINK_HPP

#include <array>

namespace heddle {

/// One row of the neighbour table of an IndexList: where slot `slot` of the cell at `offset` lives. Where
/// that cell is not listed (a wall, or beyond a non-periodic face), the entry is slot `wall_slot` of the own
/// cell instead, so that bounce-back costs nothing. With q from 1 and opposite directions q, opp(q):
///   AA,   row q-1: {opp(q), -c_q, q}
///   pull, row q-1: {q, -c_q, opp(q)}
struct Link {
  int slot = 0;
  std::array<int, 3> offset{0, 0, 0};
  int wall_slot = 0;
};

} // namespace heddle

#endif
